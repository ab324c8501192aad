// Package action has the transformations of debugging actions, one file for each, with its
// guards against false alarms beside it. [All] is the table.
package action

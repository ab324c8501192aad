// Package build has the transformations of the build: other options for the same source.
// [All] is the table.
package build

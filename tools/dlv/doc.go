// Package dlv pins, in a module of its own, the Delve that misstep tests
// unless told otherwise. It holds no code: its go.mod is the pin.
package dlv

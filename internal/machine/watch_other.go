//go:build !linux

package machine

// Watches reports whether the processor's watchpoints notice that memory is written. It is not known here.
func Watches() (notices, known bool) { return false, false }

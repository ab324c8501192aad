package machine

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// writeBreakpoint is HW_BREAKPOINT_W of linux/hw_breakpoint.h: a breakpoint that counts writes.
const writeBreakpoint = 2

// Watches reports whether the processor's watchpoints notice that memory is written, on which data breakpoints stand. Some virtual machines take
// them and do nothing. Known is false where the kernel does not let it be tried.
func Watches() (notices, known bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	watched := new(uint64)
	var stays runtime.Pinner // where the kernel is told that it lies
	stays.Pin(watched)
	defer stays.Unpin()
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_BREAKPOINT, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bp_type: writeBreakpoint, Ext1: uint64(uintptr(unsafe.Pointer(watched))), Ext2: uint64(unsafe.Sizeof(*watched)),
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return false, false
	}
	defer unix.Close(fd)
	for i := range 3 {
		write(watched, uint64(i))
	}
	var count [8]byte
	if n, err := unix.Read(fd, count[:]); err != nil || n != len(count) {
		return false, false
	}
	return binary.NativeEndian.Uint64(count[:]) > 0, true
}

//go:noinline
func write(p *uint64, v uint64) { *p = v }

package protocol_test

import (
	"slices"
	"testing"

	"misstep/oracle/protocol"
)

func TestPanicked(t *testing.T) {
	const stack = "it panicked\ngoroutine 18 [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n" +
		"example.test/m/dap.(*Session).recover(0x2)\n\t/m/dap/server.go:584 +0x53\npanic({0xb95ec0?, 0x1345330?})\n\t/go/src/runtime/panic.go:860 +0x13a\n" +
		"internal/sync.(*Mutex).Lock(...)\n\t/go/src/internal/sync/mutex.go:63\nsync.(*Mutex).Lock(...)\n\t/go/src/sync/mutex.go:46\n" +
		"example.test/m/dap.(*Session).onRequest(0x2, {0x1, 0x2})\n\t/m/dap/server.go:1711 +0x18c\nexample.test/m/dap.handle.func1()\n\t/m/dap/server.go:711 +0x5c\n" +
		"created by example.test/m/dap.handle in goroutine 8\n\t/m/dap/server.go:709 +0x1a7b\n\nexample.test/m/other.f()\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{stack, []string{"sync.Mutex.Lock", "dap.Session.onRequest", "dap.handle.func1"}},
		{"runtime error\n", nil},
		{"panic: index\n\ngoroutine 65 [running]:\ngithub.com/go-delve/delve/pkg/proc.(*Variable).access(0x1)\n\t/v.go:1\ncreated by x\n\ngoroutine 1 [chan receive]:\na/b.c()\n", []string{"proc.Variable.access"}},
		{stack + "\npanic: index\n\ngoroutine 65 [running]:\npanic({0x1, 0x2})\n\t/go/panic.go:1\nruntime.panicmem()\nexample.test/m/proc.f()\n\t/v.go:1\n", []string{"proc.f"}},
		{"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\na/b.c()\n", []string{"b.c"}},
		// The program's own is none of the debugger's.
		{"panic: mine\n\ngoroutine 1 [running]:\na/b.c()\n\n2026 recovered panic\ngoroutine 2 [running]:\npanic(1)\n\t/go/panic.go:1\ngithub.com/go-delve/delve/pkg/proc.g()\n", []string{"proc.g"}},
		{"\npanic(1)\na/b)\n", nil},
	} {
		if got := protocol.Panicked(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

package dap

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// socketPair makes two connected ends: a process that gets one as its standard
// input and output can be read with deadlines and closed from our side, which
// two pipes with copying goroutines cannot.
func socketPair() (net.Conn, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a pair of sockets: %w", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	ours := os.NewFile(uintptr(fds[0]), "adapter")
	theirs := os.NewFile(uintptr(fds[1]), "adapter's standard input and output")
	c, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("using a pair of sockets: %w", err)
	}
	return c, theirs, nil
}

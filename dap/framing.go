package dap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage bounds the bytes of one message. The protocol has no bound; go-dap's of 4 MiB is less than what Delve answers about a
// value that was not set yet, and so may have any length.
const maxMessage = 64 << 20

// readMessage reads one message, a header and the content, as the protocol frames them ("Base protocol"): fields of the header on lines of
// their own, an empty line, and as many bytes as Content-Length says. The error is io.EOF if there is none any more.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length, fields := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && fields == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("a header without an end")
		case err != nil:
			return nil, err
		}
		text, ended := strings.CutSuffix(string(line), "\r\n")
		if text == "" && ended {
			break
		}
		name, value, ok := strings.Cut(text, ": ")
		if !ok || !ended {
			return nil, fmt.Errorf("expected a header, got %q", line)
		}
		fields++
		if name != "Content-Length" {
			continue
		}
		if length, err = strconv.Atoi(value); err != nil || length < 0 {
			return nil, fmt.Errorf("Content-Length: expected a number of bytes, got %q", value)
		}
	}
	switch {
	case length < 0:
		return nil, errors.New("a header without Content-Length")
	case length > maxMessage:
		return nil, fmt.Errorf("a message of %d bytes; at most %d are read", length, maxMessage)
	}
	var b bytes.Buffer // which grows with what comes
	if _, err := io.CopyN(&b, r, int64(length)); errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

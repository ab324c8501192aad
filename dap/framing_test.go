package dap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	for _, c := range []struct{ name, text, want, err string }{
		{"a message", "Content-Length: 2\r\n\r\n{}rest", "{}", ""},
		{"an empty one", "Content-Length: 0\r\n\r\n", "", ""},
		{"a long one", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(long), long), long, ""},
		{"another field", "Content-Type: text\r\nContent-Length: 2\r\n\r\n{}", "{}", ""},
		{"nothing", "", "", "EOF"},
		{"less than a header", "Content-", "", "unexpected EOF"},
		{"less than its content", "Content-Length: 3\r\n\r\n{}", "", "unexpected EOF"},
		{"no length", "Content-Type: text\r\n\r\n{}", "", "a header without Content-Length"},
		{"no number", "Content-Length: x\r\n\r\n{}", "", `Content-Length: expected a number of bytes, got "x"`},
		{"a negative number", "Content-Length: -1\r\n\r\n{}", "", `Content-Length: expected a number of bytes, got "-1"`},
		{"too long a one", "Content-Length: 99999999999\r\n\r\n{}", "", "a message of 99999999999 bytes; at most 67108864 are read"},
		{"no header", "hello\r\n", "", `expected a header, got "hello\r\n"`},
		{"an end of a line that is none", "Content-Length: 2\n\n{}", "", `expected a header, got "Content-Length: 2\n"`},
		{"no end", long, "", "a header without an end"},
	} {
		got, err := readMessage(bufio.NewReader(strings.NewReader(c.text)))
		if string(got) != c.want || err != nil && err.Error() != c.err || err == nil && c.err != "" {
			t.Errorf("%s: %.40q, %v; want %.40q, %q", c.name, got, err, c.want, c.err)
		}
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\nx")
	f.Add("Content-Length: 2\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		r := bufio.NewReader(strings.NewReader(text))
		read := 0
		for {
			m, err := readMessage(r)
			if err != nil {
				if errors.Is(err, io.EOF) && r.Buffered() > 0 {
					t.Errorf("an end before the end of %q", text)
				}
				return
			}
			if read += len(m); read > len(text) {
				t.Fatalf("%d bytes of %d", read, len(text))
			}
		}
	})
}

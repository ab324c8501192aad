package machine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"misstep/internal/machine"
)

const program = `package main

var f = one

//go:noinline
func one(n int) int {
	if n > 3 {
		return n
	}
	return 1
}

//go:noinline
func two(big [64]int) (copied [64]int) {
	copied = big
	return copied
}

func main() {
	println(one(4), f(2), len(two([64]int{})))
}
`

// TestAt holds what is read of each instruction of a few functions against what the toolchain's own disassembler prints
// of them.
func TestAt(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
				t.Fatal(err)
			}
			binary := filepath.Join(dir, "program")
			run(t, dir, arch, "build", "-gcflags=all=-N -l", "-o", binary, "main.go")
			code, err := machine.Open(binary)
			if err != nil {
				t.Fatal(err)
			}
			list := listed(t, run(t, dir, arch, "tool", "objdump", "-s", `^main\.`, binary))
			symbols := symbolsOf(run(t, dir, arch, "tool", "nm", binary))
			if len(list) < 50 {
				t.Fatalf("%d instructions", len(list))
			}
			kinds := map[string]int{}
			for i, l := range list {
				in, ok := code.At(l.addr)
				if strings.HasPrefix(l.text, "?") {
					continue // what is between functions
				}
				if !ok {
					t.Errorf("%#x %s: not decoded", l.addr, l.text)
					continue
				}
				if n := len(in.Bytes); i+1 < len(list) && list[i+1].function == l.function && l.addr+uint64(n) != list[i+1].addr {
					t.Errorf("%#x %s: of %d bytes", l.addr, l.text, n)
				}
				after := l.addr + uint64(len(in.Bytes))
				word, rest, _ := strings.Cut(l.text, " ")
				target, named := targetOf(symbols, l.addr, rest)
				kind, next, into := "plain", []uint64{after}, uint64(0)
				switch {
				case word == "RET":
					kind, next = "return", nil
				case word == "CALL":
					kind = "call"
					if named {
						into = target
					} else {
						kind = "call of a value"
					}
				case strings.HasPrefix(word, "REP") || strings.Contains(l.text, "; REP") || strings.HasPrefix(l.text, "REP;"):
					kind, next = "repeated", append(next, l.addr)
				case word == "JMP" && !named:
					kind, next = "far", nil
				case word == "JMP":
					kind, next = "jump", []uint64{target}
				case named && (word[0] == 'J' || word[0] == 'B' || slices.Contains([]string{"CBZ", "CBNZ", "TBZ", "TBNZ"}, word)):
					kind, next = "branch", append(next, target)
				}
				kinds[kind]++
				slices.Sort(next)
				got := slices.Sorted(slices.Values(in.Next))
				if kind == "far" && in.Kind != machine.Far || kind != "far" && (!slices.Equal(got, next) || in.Into != into) || in.Jump != (kind == "jump") {
					t.Errorf("%#x %s, a %s: goes to %x, into %#x, jump %t; want %x, %#x", l.addr, l.text, kind, got, in.Into, in.Jump, next, into)
				}
				if at := code.Bytes(l.addr, len(in.Bytes)); !slices.Equal(at, in.Bytes) {
					t.Errorf("%#x: %x there, and %x", l.addr, at, in.Bytes)
				}
			}
			t.Log(kinds)
			for _, kind := range []string{"plain", "return", "call", "call of a value", "jump", "branch"} {
				if kinds[kind] == 0 {
					t.Errorf("no %s", kind)
				}
			}
			if _, ok := code.At(1); ok {
				t.Error("an instruction at the address 1")
			}
			if code.Bytes(list[0].addr, 1<<30) != nil {
				t.Error("more bytes than there are")
			}
		})
	}
	if _, err := machine.Open("machine_test.go"); err == nil {
		t.Error("a text is a binary")
	}
}

func run(t *testing.T, dir, arch string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if args[0] == "tool" {
		cmd.Env = os.Environ()
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

type line struct {
	function, text string
	addr           uint64
}

// listed reads what go tool objdump prints: a file and a line, the address, the bytes, the text.
func listed(t *testing.T, out string) (list []line) {
	function := ""
	for l := range strings.Lines(out) {
		if strings.HasPrefix(l, "TEXT ") {
			function = strings.Fields(l)[1]
			continue
		}
		f := strings.Fields(l)
		if len(f) < 4 {
			continue
		}
		addr, err := strconv.ParseUint(f[1], 0, 64)
		if err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		list = append(list, line{function, strings.Join(f[3:], " "), addr})
	}
	return list
}

// targetOf is where a jump or a call goes, as objdump prints it: an address, a function, or so many instructions from there.
func targetOf(symbols map[string]uint64, at uint64, rest string) (uint64, bool) {
	word := rest[strings.LastIndex(rest, " ")+1:]
	if name, ok := strings.CutSuffix(word, "(SB)"); ok {
		addr, ok := symbols[name]
		return addr, ok
	}
	if n, ok := strings.CutSuffix(word, "(PC)"); ok {
		by, err := strconv.Atoi(n)
		return at + uint64(4*by), err == nil
	}
	n, err := strconv.ParseUint(word, 0, 64)
	return n, err == nil && n > 1<<12
}

// symbolsOf reads what go tool nm prints: the address, the kind, the name.
func symbolsOf(out string) map[string]uint64 {
	symbols := map[string]uint64{}
	for l := range strings.Lines(out) {
		if f := strings.Fields(l); len(f) == 3 {
			symbols[f[2]], _ = strconv.ParseUint(f[0], 16, 64)
		}
	}
	return symbols
}

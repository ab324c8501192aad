package gobuild

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOlderFlags holds that a toolchain is not given flags by the user's settings that it does not know.
func TestOlderFlags(t *testing.T) {
	for _, c := range []struct {
		set, toolchain, want string
		cut                  bool
	}{
		{"-buildvcs=false", "go1.17.13", noFlag, true},
		{"-buildvcs=false -mod=mod --pgo=off", "go1.17.13", "-mod=mod", true},
		{"-buildvcs=false -mod=mod -pgo=off", "go1.19.13", "-buildvcs=false -mod=mod", true},
		{"-buildvcs=false", "go1.18.10", "", false},
		{"-buildvcs=false", "", "", false},
		{"-buildvcs=false", "local", "", false},
		{"", "go1.17.13", "", false},
	} {
		t.Setenv("GOFLAGS", c.set)
		if got, cut := olderFlags(c.toolchain); got != c.want || cut != c.cut {
			t.Errorf("GOFLAGS=%s of %s: got %q, cut %t; want %q, %t", c.set, c.toolchain, got, cut, c.want, c.cut)
		}
	}
	os.Unsetenv("GOFLAGS") // t.Setenv puts it back
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOPRIVATE=x\nGOFLAGS=-buildvcs=false -tags=a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", file)
	if got, cut := olderFlags("go1.17.13"); got != "-tags=a" || !cut {
		t.Errorf("of a file: got %q, cut %t; want -tags=a", got, cut)
	}
	t.Setenv("GOENV", "off")
	if got, cut := olderFlags("go1.17.13"); got != "" || cut {
		t.Errorf("switched off: got %q, cut %t; want none", got, cut)
	}
}

// TestElsewhere: the go command has its flag for another folder since Go 1.20.
func TestElsewhere(t *testing.T) {
	for toolchain, want := range map[string]bool{"go1.17.13": false, "go1.19.13": false, "go1.20": true, "go1.26.8": true, "": true, "local": true} {
		if got := (Engine{Go: toolchain}).Elsewhere(); got != want {
			t.Errorf("%q: %t, want %t", toolchain, got, want)
		}
	}
}

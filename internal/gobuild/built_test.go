package gobuild

import "testing"

// TestReleased: which versions of Delve have a source that can be fetched.
func TestReleased(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.27.2": true, "v1.28.0-rc1": true,
		"(devel)": false, "": false, "v1.27.2+dirty": false,
		"v1.27.1-0.20260722123632-047cfde0be42":       false, // of a commit
		"v1.27.1-0.20260722123632-047cfde0be42+dirty": false,
	} {
		if got := released(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

// TestBuiltAs: another debugger gets a finding's build, but not its toolchain, and what it is given itself stays.
func TestBuiltAs(t *testing.T) {
	for _, c := range []struct{ with, finding, want string }{
		{"dlv", "dlv@v1.26.0,go=go1.24.5,gcflags=,trimpath", "dlv@" + PinnedDelve + ",gcflags=,trimpath"},
		{"dlv@v1.25.0,go=go1.24.5", "dlv@v1.26.0,go=go1.25.0", "dlv@v1.25.0,go=go1.24.5"},
		{"dlv=/bin/dlv,gcflags=all=-l", "dlv@v1.26.0,gcflags=,buildmode=pie", "dlv=/bin/dlv,buildmode=pie,gcflags=all=-l"},
		{"dlv", "dlv", "dlv@" + PinnedDelve},
	} {
		with, err := ParseEngine(c.with)
		if err != nil {
			t.Fatal(err)
		}
		of, err := ParseEngine(c.finding)
		if err != nil {
			t.Fatal(err)
		}
		if got := with.BuiltAs(of).String(); got != c.want {
			t.Errorf("%s for a finding of %s: %s, want %s", c.with, c.finding, got, c.want)
		}
	}
}

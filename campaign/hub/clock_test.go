package hub_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var clocks = flag.Bool("clocks", false, "let clocks jump, in TestClocks, which builds these tests with another package time")

// skews is put into package time. The clock of each process goes another way, and jumps every three seconds. What
// is measured by the monotonic clock stays as it is, as on a machine whose time is set.
const skews = `
var testSkews = [...]int64{0, 3600, -3600, 0, 86400, -86400, 7, -7}

func testSkew(mono int64) int64 {
	return testSkews[uint64(mono/3e9+int64(syscall.Getpid()))%uint64(len(testSkews))]
}
`

// Clocks that jump by up to a day, forward and backward, each process's at another time, change nothing of what is found,
// whoever is killed meanwhile and whatever network is cut.
func TestClocks(t *testing.T) {
	if !*clocks {
		t.Skip("clocks are not to jump; see -clocks")
	}
	dir := t.TempDir()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const now = "sec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	if strings.Count(string(text), now) != 1 {
		t.Fatalf("%s: expected one %q", original, now)
	}
	changed := strings.Replace(string(text), now, strings.Replace(now, "\n", "\n\tsec += testSkew(mono)\n", 1), 1)
	changed = strings.Replace(changed, "import (", "import (\n\t\"syscall\"", 1) + skews
	replaced, overlay, binary := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "hub.test")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replaced}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{replaced: changed, overlay: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("building the tests with clocks that jump: %v\n%s", err, out)
	}
	witness := exec.CommandContext(t.Context(), binary)
	witness.Env = append(os.Environ(), roleVar+"=clock")
	if out, err := witness.CombinedOutput(); err != nil {
		t.Fatalf("the clocks do not jump: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.skip", "^(TestClocks|TestDiskFull)$", "-test.v", "-kills", strconv.Itoa(*kills))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []string{"TestKilled", "TestCut", "TestSetAside", "TestTask"} {
		if !strings.Contains(string(out), "--- PASS: "+test+" ") {
			t.Errorf("%s did not pass with them", test)
		}
	}
}

// jumps is an error if this process's clock went with its monotonic one for as long as it takes to jump a few times.
func jumps() error {
	began := time.Now()
	for time.Since(began) < 10*time.Second {
		time.Sleep(100 * time.Millisecond)
		now := time.Now()
		if by := now.Round(0).Sub(began.Round(0)) - now.Sub(began); by.Abs() > time.Minute {
			return nil
		}
	}
	return fmt.Errorf("for %s it did not", time.Since(began).Round(time.Second))
}

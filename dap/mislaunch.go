package dap

import "encoding/json"

// mislaunches are launch and attach requests that no program can come of: an argument is missing, has another
// type than it should, or names what is not there. The adapter must say so, and launch what it is asked for next.
var mislaunches = []misuse{
	attach("attach-nothing", map[string]any{"mode": "local"}),
	attach("attach-nobody", map[string]any{"mode": "local", "processId": 999999999}),
	attach("attach-one-of-two", map[string]any{"mode": "local", "processId": 999999999, "waitFor": "no-such-program"}),
	attach("attach-negative", map[string]any{"mode": "local", "processId": -1}),
	attach("attach-zero", map[string]any{"mode": "local", "processId": 0}),
	attach("attach-fraction", map[string]any{"mode": "local", "processId": 1.5}),
	attach("attach-no-name", map[string]any{"mode": "local", "waitFor": ""}),
	attach("attach-text", map[string]any{"mode": "local", "processId": "many"}),
	attach("attach-nowhere", map[string]any{"mode": "nowhere", "processId": 999999999}),
	attach("attach-remote", map[string]any{"mode": "remote"}),

	mislaunch("launch-mode", map[string]any{"mode": "nowhere"}),
	mislaunch("launch-no-program", map[string]any{"program": nil}),
	mislaunch("launch-empty-program", map[string]any{"program": ""}),
	mislaunch("launch-number", map[string]any{"program": 5}),
	mislaunch("launch-folder", map[string]any{"program": "/", "mode": "exec"}),
	mislaunch("launch-text-file", map[string]any{"program": "/etc/passwd", "mode": "exec"}),
	mislaunch("launch-device", map[string]any{"program": "/dev/null", "mode": "exec"}),
	mislaunch("launch-package", map[string]any{"program": "/nowhere/package", "mode": "debug"}),
	mislaunch("launch-test", map[string]any{"program": "/nowhere/package", "mode": "test"}),
	mislaunch("launch-flags", map[string]any{"buildFlags": 5}),
	mislaunch("launch-flag-list", map[string]any{"buildFlags": []any{"-v", 5}}),
	mislaunch("launch-bad-flag", map[string]any{"mode": "debug", "buildFlags": "-no-such-flag"}),
	mislaunch("launch-arguments", map[string]any{"args": "one two"}),
	mislaunch("launch-folder-of-delve", map[string]any{"dlvCwd": "/nowhere"}),
	mislaunch("launch-working-folder", map[string]any{"cwd": "/nowhere"}),
	mislaunch("launch-environment", map[string]any{"env": []any{"A=1"}}),
	mislaunch("launch-environment-name", map[string]any{"env": map[string]any{"": "1"}}),
	mislaunch("launch-output", map[string]any{"outputMode": "nowhere"}),
	mislaunch("launch-two-outputs", map[string]any{"outputMode": "remote", "stdoutTo": "/dev/null"}),
	mislaunch("launch-input", map[string]any{"stdinFrom": "/nowhere/input"}),
	mislaunch("launch-backend", map[string]any{"backend": "nowhere"}),
	mislaunch("launch-depth", map[string]any{"stackTraceDepth": "deep"}),
	mislaunch("launch-paths", map[string]any{"substitutePath": []any{map[string]any{"from": "/only"}}}),
	mislaunch("launch-path", map[string]any{"substitutePath": "/a:/b"}),
	mislaunch("launch-core", map[string]any{"mode": "core"}),
	mislaunch("launch-no-core", map[string]any{"mode": "core", "coreFilePath": "/nowhere/core"}),
	mislaunch("launch-replay", map[string]any{"mode": "replay"}),
	mislaunch("launch-no-replay", map[string]any{"mode": "replay", "traceDirPath": "/nowhere/trace"}),
}

func attach(name string, args map[string]any) misuse {
	return misuse{name, configuring, func(*Session) (string, any) { return "attach", args }}
}

// mislaunch is a launch request with other arguments than the good ones, or without those that are nil.
func mislaunch(name string, other map[string]any) misuse {
	return misuse{name, configuring, func(s *Session) (string, any) {
		good, _ := s.adapter.launchArgs(s.target) // which fails, if it does, as the session is opened
		args := map[string]any{}
		json.Unmarshal(good, &args)
		for k, v := range other {
			if args[k] = v; v == nil {
				delete(args, k)
			}
		}
		return "launch", args
	}}
}

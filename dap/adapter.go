package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"misstep/internal/gobuild"
)

// An Adapter says how a debug adapter is started and what is particular to it.
// It can be read from a TOML or JSON file; see docs/adapters.md.
type Adapter struct {
	Name string `json:"name" toml:"name"`
	// Command is the adapter's command line. {addr} stands for the address to
	// dial (Transport dial) or to listen at (Transport listen).
	Command []string `json:"command" toml:"command"`
	// Transport is stdio, dial (the adapter connects to misstep over TCP) or
	// listen (misstep connects to the adapter).
	Transport string `json:"transport" toml:"transport"`
	// Ready matches the line of standard output that says that the adapter
	// listens; its first group is the address. For Transport listen.
	Ready string `json:"ready" toml:"ready"`
	// ID is the adapterID of the initialize request; Name by default.
	ID string `json:"id" toml:"id"`
	// Launch holds the arguments of the launch request. A value "{program}",
	// "{args}", "{cwd}", "{env}", "{env=}", "{mode}" or "{output}" is replaced; the
	// last three by the environment as a list NAME=VALUE, by "exec", and by where
	// the adapter is to put what it builds itself.
	Launch map[string]any `json:"launch" toml:"launch"`
	// Restart is added to the launch arguments in a restart request.
	Restart map[string]any `json:"restart" toml:"restart"`
	// Attach holds the arguments of the attach request, for each way to attach that the
	// adapter has: process, name and server (the adapter is started by Server, with the
	// program). A value "{pid}" or "{name}" is replaced, and those of Launch.
	Attach map[string]map[string]any `json:"attach" toml:"attach"`
	// Server is the command line by which the adapter starts a program and waits for
	// clients. {addr}, {program}, {args}, {cwd}, {stdout} and {stderr} are replaced; the
	// last two by files for what the program prints.
	Server []string `json:"server" toml:"server"`
	// ServerReady is as Ready, for Server.
	ServerReady string `json:"serverReady" toml:"serverReady"`
	// Env is added to the adapter's environment.
	Env []string `json:"env" toml:"env"`

	// Unannounced are capabilities, by their names in DAP, that the adapter has although it does not say so.
	Unannounced []string `json:"unannounced" toml:"unannounced"`
	// NoVariables: the adapter does not show variables of Go programs.
	NoVariables bool `json:"noVariables" toml:"noVariables"`
	// Terminal: the program's output goes through a terminal, which ends lines
	// with \r\n.
	Terminal bool `json:"terminal" toml:"terminal"`

	// Path is the adapter's binary, once it is resolved.
	Path string `json:"-" toml:"-"`

	// Wrap, if not nil, stands between misstep and the adapter: it gets the
	// connection to the adapter and returns the one to talk to. Package faults
	// breaks debuggers with it.
	Wrap func(net.Conn) net.Conn `json:"-" toml:"-"`
	// Serve, if not nil, is the adapter: no process is started, and Serve answers over
	// the connection until that ends.
	Serve func(context.Context, net.Conn) `json:"-" toml:"-"`

	logPoint *regexp.Regexp
	known    *binaryKnown // of the binary at Path; nil to look each time
}

// adapters are those that misstep knows by name.
var adapters = []Adapter{
	{
		Name:      "dlv",
		Command:   []string{"dlv", "dap", "--client-addr={addr}"},
		Transport: "dial",
		ID:        "go",
		Launch: map[string]any{
			"mode": "{mode}", "program": "{program}", "args": "{args}", "cwd": "{cwd}",
			// GOGC is for the debugger, see Env; the program has its own.
			"env": "{env}", "outputMode": "remote", "stackTraceDepth": 64, "output": "{output}",
			"substitutePath": "{substitute}",
		},
		// Without it Delve wants to build the program anew, which it refuses for a
		// binary that it has not built.
		Restart: map[string]any{"request": "launch", "rebuild": false},
		Attach: map[string]map[string]any{
			AttachProcess: {"mode": "local", "processId": "{pid}", "stackTraceDepth": 64, "substitutePath": "{substitute}"},
			AttachName:    {"mode": "local", "waitFor": "{name}", "stackTraceDepth": 64, "substitutePath": "{substitute}"},
			AttachServer:  {"mode": "remote", "stackTraceDepth": 64, "substitutePath": "{substitute}"},
		},
		Server: []string{
			"dlv", "exec", "--headless", "--accept-multiclient", "--api-version=2", "--listen={addr}", "--wd={cwd}",
			"--redirect=stdout:{stdout}", "--redirect=stderr:{stderr}", "{program}", "--", "{args}",
		},
		ServerReady: `^API server listening at: (\S+)`,
		// Most of a session's cost is Delve reading debug information; with fewer
		// collections it needs a fifth less processor time, and some 50 MB more.
		Env: []string{"GOGC=400"},
		// Hit conditions came in 2021, and were announced in 2026.
		Unannounced: []string{"supportsHitConditionalBreakpoints"},
		logPoint:    regexp.MustCompile(`^> \[Go (\d+)\]: (?s)(.*)\n$`),
	},
	{
		Name:      "lldb-dap",
		Command:   []string{"lldb-dap"},
		Transport: "stdio",
		Launch: map[string]any{
			"program": "{program}", "args": "{args}", "cwd": "{cwd}", "env": "{env=}",
			"disableASLR": true, "stopOnEntry": false,
			// The runtime's own signal stops lldb unless it is told to pass it, and so do others that Go programs do not heed.
			"preRunCommands": []any{"process handle SIGURG SIGWINCH SIGCHLD SIGCONT SIGUSR1 SIGUSR2 SIGALRM SIGIO -s false -n false -p true"},
		},
		NoVariables: true, Terminal: true,
	},
	{
		Name:      "gdb",
		Command:   []string{"gdb", "--interpreter=dap", "-q"},
		Transport: "stdio",
		Launch: map[string]any{
			"program": "{program}", "args": "{args}", "cwd": "{cwd}", "env": "{env}",
		},
	},
}

// versioned are names under which distributions install an adapter, beside its own.
var versioned = map[string]string{"lldb-dap": "lldb-dap-*"}

// Resolve finds the adapter that an engine names and its binary: Delve is built
// if need be, others are looked for on PATH.
func Resolve(ctx context.Context, cache *gobuild.Cache, e gobuild.Engine) (*Adapter, error) {
	for _, known := range adapters {
		if known.Name != e.Adapter {
			continue
		}
		a := known
		a.known = &binaryKnown{times: map[string]int{}}
		var err error
		if a.Name == "dlv" {
			if a.Path, err = cache.Dlv(ctx, e); err != nil {
				return nil, err
			}
			help := ""
			if e.Path != "" { // a released one can
				help = cache.Prints(ctx, a.Path, "dap", "--help")
			}
			if strings.Contains(help, "dlv dap") && !strings.Contains(help, "client-addr") {
				// Until August 2021 it could not call back.
				a.Command, a.Transport, a.Ready = []string{"dlv", "dap", "--listen={addr}"}, "listen", `^DAP server listening at: (\S+)`
			}
			if e.Unchecked {
				const unchecked = "--check-go-version=false"
				a.Command = append(slices.Clone(a.Command), unchecked)
				a.Server = slices.Insert(slices.Clone(a.Server), 2, unchecked)
			}
		} else {
			a.Path, err = findBinary(a.Command[0], e)
		}
		return &a, err
	}
	if ext := filepath.Ext(e.Adapter); ext == ".toml" || ext == ".json" {
		a, err := ReadAdapter(e.Adapter)
		if err != nil {
			return nil, err
		}
		a.Path, err = findBinary(a.Command[0], e)
		return a, err
	}
	var names []string
	for _, a := range adapters {
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("engine %s: unknown adapter %q; expected one of %s, or a .toml or .json file that describes one", e, e.Adapter, strings.Join(names, ", "))
}

// Installed are the names of the adapters, besides Delve, whose binaries are on this machine.
func Installed() []string {
	var names []string
	for _, a := range adapters {
		if _, err := findBinary(a.Command[0], gobuild.Engine{Adapter: a.Name}); a.Name != "dlv" && err == nil {
			names = append(names, a.Name)
		}
	}
	return names
}

func findBinary(name string, e gobuild.Engine) (string, error) {
	if e.Path != "" {
		name = e.Path
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if glob, ok := versioned[name]; ok {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			found, _ := filepath.Glob(filepath.Join(dir, glob))
			for i := len(found) - 1; i >= 0; i-- {
				if path, err := exec.LookPath(found[i]); err == nil {
					return path, nil
				}
			}
		}
	}
	return "", fmt.Errorf("engine %s: no program %s on PATH", e, name)
}

// ReadAdapter reads an adapter's description from a TOML or JSON file.
func ReadAdapter(file string) (*Adapter, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the adapter's description: %w", err)
	}
	var a Adapter
	if filepath.Ext(file) == ".json" {
		dec := json.NewDecoder(strings.NewReader(string(text)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&a); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	} else {
		meta, err := toml.Decode(string(text), &a)
		if err != nil {
			var parse toml.ParseError
			if errors.As(err, &parse) {
				return nil, fmt.Errorf("%s:%d: %s", file, parse.Position.Line, parse.Message)
			}
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, key := range meta.Undecoded() {
			if key[0] != "launch" && key[0] != "restart" && key[0] != "attach" {
				return nil, fmt.Errorf("%s: unknown key %q", file, key)
			}
		}
	}
	if a.Name == "" || len(a.Command) == 0 {
		return nil, fmt.Errorf("%s: expected a name and a command", file)
	}
	switch a.Transport {
	case "stdio", "dial":
	case "listen":
		if _, err := regexp.Compile(a.Ready); err != nil || a.Ready == "" {
			return nil, fmt.Errorf("%s: transport listen needs ready, a regular expression whose first group is the address", file)
		}
	default:
		return nil, fmt.Errorf("%s: transport %q: expected stdio, dial or listen", file, a.Transport)
	}
	if _, ok := a.Attach[AttachServer]; ok {
		if _, err := regexp.Compile(a.ServerReady); err != nil || a.ServerReady == "" || len(a.Server) == 0 {
			return nil, fmt.Errorf("%s: attach.server needs server, a command, and serverReady, a regular expression whose first group is the address", file)
		}
	}
	for way := range a.Attach {
		if !slices.Contains(Attaches, way) {
			return nil, fmt.Errorf("%s: attach.%s: expected one of %s", file, way, strings.Join(Attaches, ", "))
		}
	}
	return &a, nil
}

// Substitutes reports whether the adapter can be told that folders have another
// name in the binary.
func (a *Adapter) Substitutes() bool {
	for _, v := range a.Launch {
		if v == "{substitute}" {
			return true
		}
	}
	return false
}

// launchArgs fills the launch arguments in.
func (a *Adapter) launchArgs(t Target) (json.RawMessage, error) {
	args := map[string]any{}
	maps.Copy(args, a.Launch)
	maps.Copy(args, t.Settings)
	if t.First != nil {
		t.Args = t.First
	}
	text, err := json.Marshal(fill(args, a.values(t)))
	if err != nil {
		return nil, fmt.Errorf("adapter %s: its launch arguments do not encode: %w", a.Name, err)
	}
	return text, nil
}

// attachArgs fills in the arguments by which a program is attached to that runs.
func (a *Adapter) attachArgs(t Target, r *running) (json.RawMessage, error) {
	args := map[string]any{}
	maps.Copy(args, a.Attach[t.Attach])
	maps.Copy(args, t.Settings)
	values := a.values(t)
	values["{name}"] = r.name
	if r.process != nil {
		values["{pid}"] = r.process.Pid()
	}
	if r.stays {
		args["stopOnEntry"] = true
	}
	text, err := json.Marshal(fill(args, values))
	if err != nil {
		return nil, fmt.Errorf("adapter %s: its attach arguments do not encode: %w", a.Name, err)
	}
	return text, nil
}

// restartArgs are those of the restart request: the launch arguments once more, but for what other says in JSON: members of an object,
// of which null leaves one out, or anything else in place of all.
func (a *Adapter) restartArgs(t Target, other string) (json.RawMessage, error) {
	args := map[string]any{}
	maps.Copy(args, a.Launch)
	maps.Copy(args, t.Settings)
	maps.Copy(args, a.Restart)
	if t.built() {
		delete(args, "rebuild") // it can, and does by default
	}
	whole := fill(args, a.values(t))
	if other != "" {
		var with any
		if err := json.Unmarshal([]byte(other), &with); err != nil {
			return nil, fmt.Errorf("restart: the arguments %q are no JSON: %w", other, err)
		}
		if members, ok := with.(map[string]any); ok {
			args := whole.(map[string]any)
			for name, value := range members {
				if args[name] = value; value == nil {
					delete(args, name)
				}
			}
			with = args
		}
		whole = with
	}
	text, err := json.Marshal(map[string]any{"arguments": whole})
	if err != nil {
		return nil, fmt.Errorf("adapter %s: its restart arguments do not encode: %w", a.Name, err)
	}
	return text, nil
}

// values are what stands for the placeholders.
func (a *Adapter) values(t Target) map[string]any {
	env := map[string]any{}
	var list []string
	for _, kv := range t.Env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
		list = append(list, kv)
	}
	for _, kv := range a.Env {
		// What is meant for the adapter is not for the program.
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := env[name]; !ok && a.Name == "dlv" {
			env[name] = nil
		}
	}
	args := t.Args
	if args == nil {
		args = []string{}
	}
	substitute := []any{}
	for _, from := range slices.Sorted(maps.Keys(t.Substitute)) {
		substitute = append(substitute, map[string]any{"from": from, "to": t.Substitute[from]})
	}
	return map[string]any{
		"{substitute}": substitute,
		"{program}":    t.Program, "{args}": args, "{cwd}": t.Dir,
		"{programFolder}": filepath.Dir(t.Program), "{programName}": filepath.Base(t.Program),
		"{stdout}": t.stdout, "{stderr}": t.stderr, "{output}": t.Output, "{env}": env, "{env=}": list, "{mode}": t.Mode,
	}
}

// fill replaces the placeholders in a value: those that are the whole of a text by what they stand for, and those within one by its
// text, if it is one.
func fill(v any, values map[string]any) any {
	switch v := v.(type) {
	case string:
		if with, ok := values[v]; ok {
			return with
		}
		return placeholder.ReplaceAllStringFunc(v, func(name string) string {
			if text, ok := values[name].(string); ok {
				return text
			}
			return name
		})
	case map[string]any:
		m := map[string]any{}
		for k, e := range v {
			m[k] = fill(e, values)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = fill(e, values)
		}
		return l
	}
	return v
}

var placeholder = regexp.MustCompile(`\{\w+=?\}`)

// Recorded is the name of the adapter that answers from a recorded run.
const Recorded = "reference"

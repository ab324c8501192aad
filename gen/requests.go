package gen

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"misstep/dap"
	"misstep/internal/source"
)

// An asking is a kind of request that only asks, with arguments as few clients send them: parts of what there is, from before its
// beginning and beyond its end, forms, contexts, and what may be left out. Each makes one up from what a pause shows; it is nil where it
// shows nothing of the kind.
type asking struct {
	command string
	args    func(r *rand.Rand, p *dap.Pause, src *source.Source, frame int) map[string]any
}

// askings is the table, by the requests that DAP has; a new one is one line.
var askings = []asking{
	{"stackTrace", func(r *rand.Rand, p *dap.Pause, _ *source.Source, _ int) map[string]any {
		return some(r, map[string]any{"threadId": "$thread", "startFrame": r.IntN(len(p.Stack) + 3), "levels": pick(r, []int{0, 1, 2, 3, 7, 50, 100000})}, "startFrame", "levels")
	}},
	{"stackTrace", func(r *rand.Rand, _ *dap.Pause, _ *source.Source, _ int) map[string]any {
		return map[string]any{"threadId": "$thread", "levels": 20, "format": map[string]any{pick(r, []string{"hex", "parameters", "parameterTypes", "parameterNames", "parameterValues", "line", "module", "includeAll"}): true}}
	}},
	{"scopes", func(*rand.Rand, *dap.Pause, *source.Source, int) map[string]any {
		return map[string]any{"frameId": "$frame"}
	}},
	{"variables", func(r *rand.Rand, p *dap.Pause, _ *source.Source, _ int) map[string]any {
		v, ok := shown(r, p, func(v dap.Variable) bool { return len(v.Children) > 0 })
		if !ok {
			return nil
		}
		n := len(v.Children)
		return some(r, map[string]any{
			"variablesReference": "$variable:" + v.Name, "filter": pick(r, []string{"indexed", "named"}), "start": r.IntN(n + 3), "count": pick(r, []int{0, 1, 2, 5, n, 1000, 100000}),
			"format": map[string]any{"hex": true},
		}, "filter", "start", "count", "format")
	}},
	{"variables", func(r *rand.Rand, _ *dap.Pause, _ *source.Source, _ int) map[string]any {
		return some(r, map[string]any{"variablesReference": "$scope", "filter": pick(r, []string{"indexed", "named"}), "start": r.IntN(4), "count": r.IntN(5)}, "filter", "start", "count")
	}},
	{"evaluate", func(r *rand.Rand, p *dap.Pause, src *source.Source, frame int) map[string]any {
		x, ok := Expression(r, src, p, frame)
		if r.IntN(4) == 0 {
			x, ok = Wrong(r, src, p, frame)
		}
		if !ok || strings.Contains(x, "call ") || strings.HasPrefix(x, "$") {
			return nil
		}
		return some(r, map[string]any{
			"expression": x, "frameId": "$frame", "context": pick(r, append([]string{"watch", "", "unheard-of"}, dap.Contexts...)), "format": map[string]any{"hex": true},
		}, "frameId", "context", "format")
	}},
	{"readMemory", func(r *rand.Rand, p *dap.Pause, _ *source.Source, _ int) map[string]any {
		at := pick(r, []string{"$here", "$text", "$end"})
		if v, ok := shown(r, p, func(v dap.Variable) bool { return slices.Contains(flatTypes, v.Type) }); ok && r.IntN(8) > 0 {
			at = "$memory:" + v.Name
		}
		return map[string]any{"memoryReference": at, "offset": pick(r, []int{-16, -1, 0, 1, 2, 3, 5, 4096}), "count": pick(r, []int{0, 1, 3, 8, 64, 100, 4097, 70000})}
	}},
	{"disassemble", func(r *rand.Rand, _ *dap.Pause, _ *source.Source, _ int) map[string]any {
		return some(r, map[string]any{
			"memoryReference": pick(r, []string{"$here", "$here", "$here", "$text", "$end"}), "instructionCount": pick(r, []int{1, 2, 5, 12, 40}),
			"offset": pick(r, []int{-8, -1, 1, 4, 16}), "instructionOffset": pick(r, []int{-30, -5, -1, 1, 3, 20}), "resolveSymbols": true,
		}, "offset", "instructionOffset", "resolveSymbols")
	}},
	{"exceptionInfo", func(*rand.Rand, *dap.Pause, *source.Source, int) map[string]any {
		return map[string]any{"threadId": "$thread"}
	}},
	{"dataBreakpointInfo", func(r *rand.Rand, p *dap.Pause, _ *source.Source, _ int) map[string]any {
		v, ok := shown(r, p, func(dap.Variable) bool { return true })
		if !ok {
			return nil
		}
		return some(r, map[string]any{"name": v.Name, "frameId": "$frame", "variablesReference": "$scope", "bytes": pick(r, []int{1, 4, 8, 16}), "asAddress": true}, "frameId", "variablesReference", "bytes", "asAddress")
	}},
	{"source", func(r *rand.Rand, _ *dap.Pause, src *source.Source, _ int) map[string]any {
		return map[string]any{"sourceReference": r.IntN(3), "source": map[string]any{"path": pick(r, src.Files).Name}}
	}},
	{"threads", func(*rand.Rand, *dap.Pause, *source.Source, int) map[string]any { return map[string]any{} }},
	{"evaluate", func(*rand.Rand, *dap.Pause, *source.Source, int) map[string]any {
		return map[string]any{"expression": dap.Prompt + "target switch $process", "context": "repl"}
	}},
}

// some leaves out some of what may be.
func some(r *rand.Rand, args map[string]any, optional ...string) map[string]any {
	for _, name := range optional {
		if r.IntN(2) == 0 {
			delete(args, name)
		}
	}
	return args
}

// windows are what says which part is asked for, with values of each.
var windows = map[string][]int{
	"startFrame": {0, 1, 2}, "levels": {1, 2, 20}, "start": {0, 1, 2}, "count": {1, 2, 8, 64}, "offset": {-2, 0, 1, 2}, "instructionOffset": {-3, 0, 1}, "instructionCount": {3, 8},
}

// otherParts is how many other parts are asked for, at most, of what can be asked for in parts.
const otherParts = 2

// requests is one of the requests that only ask, and often others for other parts of the same.
func requests(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) (all []dap.Action) {
	return pick(r, askings).requests(r, src, p, frame)
}

// requests is one of the kind, and often others for other parts of the same.
func (k asking) requests(r *rand.Rand, src *source.Source, p *dap.Pause, frame int) (all []dap.Action) {
	args := k.args(r, p, src, frame)
	if args == nil {
		return nil
	}
	add := func() {
		if text, err := json.Marshal(args); err == nil {
			all = append(all, dap.Action{Kind: dap.Request, Frame: frame, Name: k.command, Value: string(text)})
		}
	}
	add()
	for range otherParts {
		other := false
		for _, name := range slices.Sorted(maps.Keys(windows)) {
			if _, ok := args[name]; ok && r.IntN(3) > 0 {
				args[name], other = pick(r, windows[name]), true
			}
		}
		if other {
			add()
		}
	}
	return all
}

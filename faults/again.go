package faults

// pos is where a pause is.
type pos struct {
	name, path  string
	line, depth int
}

// posOf is the innermost frame of an answer; its depth is the number of frames.
func posOf(m message) pos {
	l := m.list("stackFrames")
	if len(l) == 0 {
		return pos{}
	}
	return framePos(l[0], len(l))
}

func framePos(f message, depth int) pos {
	x := pos{depth: depth}
	x.name, _ = f["name"].(string)
	if source, ok := f["source"].(map[string]any); ok {
		x.path, _ = source["path"].(string)
	}
	line, _ := f["line"].(float64)
	x.line = int(line)
	return x
}

// again looks where a step has ended, and steps on as further says before it says so. That is
// told how often it did.
func again(step string, further func(from, to pos, more int) string) func() handler {
	return func() handler {
		var top, from pos
		stepping, more := false, 0
		var held message
		asked := any(nil)
		return func(p *pipe, m message) {
			switch {
			case m.is("request", step) && m.body()["granularity"] != "instruction":
				from, stepping, more = top, top.name != "", 0
			case m.is("request", "continue"), m.is("request", "next"), m.is("request", "stepIn"), m.is("request", "stepOut"):
				stepping = false
			case m.is("event", "stopped") && stepping && m.body()["reason"] == "step":
				held = m
				before := map[float64]bool{}
				for seq := range p.own {
					before[seq] = true
				}
				p.request("stackTrace", message{"threadId": m.body()["threadId"], "startFrame": 0, "levels": 64})
				for seq := range p.own {
					if !before[seq] {
						asked = seq
					}
				}
				return
			case m.is("event", "stopped"):
				stepping, top = false, pos{}
			case m.is("response", "stackTrace") && asked != nil && m["request_seq"] == asked:
				asked = nil
				p.pass(m) // which swallows it
				if next := further(from, posOf(m), more); next != "" {
					more++
					p.request(next, message{"threadId": held.body()["threadId"]})
					return
				}
				stepping, top = false, pos{}
				p.pass(held)
				return
			case m.is("response", "stackTrace") && top.name == "":
				top = posOf(m)
			}
			p.pass(m)
		}
	}
}

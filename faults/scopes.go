package faults

// scopes are those of a pause, with the frames that they are of.
type scopes struct {
	frames map[any]pos // by number; the depth of the innermost is 0
	of     map[any]pos // by reference
	asked  map[any]pos // by request, for scopes and for variables
}

func newScopes() *scopes {
	return &scopes{map[any]pos{}, map[any]pos{}, map[any]pos{}}
}

// follow takes note of what a message tells of frames and scopes.
func (s *scopes) follow(m message) {
	switch {
	case m.is("event", "stopped"):
		clear(s.frames)
		clear(s.of)
	case m.is("response", "stackTrace"):
		for i, f := range m.list("stackFrames") {
			if _, again := s.frames[f["id"]]; !again { // in another page
				s.frames[f["id"]] = framePos(f, i)
			}
		}
	case m.is("request", "scopes"):
		s.asked[m["seq"]] = s.frames[m.body()["frameId"]]
	case m.is("response", "scopes"):
		for _, l := range m.list("scopes") {
			s.of[l["variablesReference"]] = s.asked[m["request_seq"]]
		}
	case m.is("request", "variables"):
		s.asked[m["seq"]] = s.of[m.body()["variablesReference"]]
	}
}

// shown is the frame whose scope an answer shows the variables of; false if it shows none.
func (s *scopes) shown(m message) (pos, bool) {
	x := s.asked[m["request_seq"]]
	return x, m.is("response", "variables") && x != pos{}
}

package localise

import (
	"regexp"
	"strings"

	"misstep/dap"
	"misstep/script"
)

var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// Say is what a finding's script says in words, for [Finding.Words]: its class, the
// reason without what it quotes, its judge, and what DAP calls the actions of the class
// and the last one.
func Say(s *script.Script, class string) string {
	said := []string{class, quoted.ReplaceAllString(strings.Join(s.Head.Reason, " "), " ")}
	kinds := []dap.Kind{}
	var last dap.Action
	for _, part := range strings.Split(class, "/") {
		kinds = append(kinds, dap.Kind(part))
	}
	if n := len(s.Commands); n > 0 {
		said = append(said, s.Commands[n-1].String())
		if n > 2 {
			last = s.Commands[n-2].Action
		}
	}
	for _, k := range kinds {
		if k != dap.Request {
			said = append(said, k.Meaning().Requests...)
		}
	}
	said = append(said, last.Requests()...)
	return strings.Join(said, " ")
}

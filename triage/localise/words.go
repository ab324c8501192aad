package localise

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// The usual parameters of BM25 (Robertson and Zaragoza, 2009).
const k1, lengths = 1.2, 0.75

// similar gives functions a score between 0 and 1 for the words that they share with a
// text: half of it for their names, half for all of their text.
func similar(list []*candidate, text string) {
	query := slices.Compact(slices.Sorted(slices.Values(words(text))))
	names, texts := make([][]string, len(list)), make([][]string, len(list))
	for i, c := range list {
		names[i], texts[i] = words(c.Name), words(c.text)
	}
	byName, byText := bm25(query, names), bm25(query, texts)
	for i, c := range list {
		c.Words = (byName[i] + byText[i]) / 2
	}
}

// bm25 scores documents by a query, as shares of the best.
func bm25(query []string, docs [][]string) []float64 {
	in := map[string]float64{} // how many documents have a word
	total := 0
	counted := make([]map[string]float64, len(docs))
	for i, doc := range docs {
		counted[i] = map[string]float64{}
		for _, w := range doc {
			if counted[i][w]++; counted[i][w] == 1 {
				in[w]++
			}
		}
		total += len(doc)
	}
	n := float64(len(docs))
	average := float64(total) / max(n, 1)
	scores := make([]float64, len(docs))
	best := 0.0
	for i, doc := range docs {
		for _, w := range query {
			if often := counted[i][w]; often > 0 {
				rare := math.Log(1 + (n-in[w]+0.5)/(in[w]+0.5))
				scores[i] += rare * often * (k1 + 1) / (often + k1*(1-lengths+lengths*float64(len(doc))/average))
			}
		}
		best = max(best, scores[i])
	}
	if best > 0 {
		for i := range scores {
			scores[i] /= best
		}
	}
	return scores
}

// words are the words of a text or a program, those of a name one by one, without their
// endings, and without those that are everywhere.
func words(text string) []string {
	var found []string
	var word []rune
	end := func() {
		if w := strings.ToLower(string(word)); len(w) > 2 && !slices.Contains(common, w) {
			found = append(found, stem(w))
		}
		word = word[:0]
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		// In HTTPServer, a word begins at S.
		lower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && len(word) > 0 && (!unicode.IsUpper(word[len(word)-1]) || lower) {
			end()
		}
		word = append(word, r)
	}
	end()
	return found
}

// stem takes the usual endings off, so that variables are a variable, and what stopped
// was to stop.
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ed", "tion"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) > 3 {
			w = rest
			break
		}
	}
	return strings.TrimSuffix(w, "e")
}

// common words tell nothing: those of sentences, and Go's own.
var common = strings.Fields(`
	all and any are been before but came does each else first for from has have its more must not one other
	out than that the them then there they this was were what when where which who with without
	append bool break case const continue default err error false fmt func int len make map new nil
	package range return string struct switch true type var`)

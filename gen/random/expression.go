package random

import "fmt"

// expression is an expression of a type, of a depth at most.
func (w *writer) expression(typ string, depth int) string {
	if v := w.variable(typ); v != "" && (depth <= 0 || w.chance(2)) {
		return v
	}
	e := func(typ string) string { return w.expression(typ, depth-1) }
	switch typ {
	case "int":
		if depth <= 0 {
			return fmt.Sprint(w.rand.Intn(7))
		}
		return one(w,
			func() string { return fmt.Sprint(w.rand.Intn(20)) },
			func() string { return e("int") + one(w, " + ", " - ", " * ", " & ", " ^ ") + e("int") },
			func() string { return "(" + e("int") + " + " + e("int") + ") % 7" },
			func() string { return "len(" + e(one(w, "[]int", "string", "map[string]int")) + ")" },
			func() string { return "-" + "(" + e("int") + ")" },
			func() string { return e("pair") + one(w, ".a", ".sum()") },
			func() string { return e("*pair") + one(w, ".b", ".sum()") },
			func() string { return e("shape") + ".sum()" },
			func() string { return e("func(int) int") + "(" + e("int") + ")" },
			func() string { return "all(" + e("int") + ", " + e("int") + ")" },
			func() string { return "all(" + e("[]int") + "...)" },
			func() string { return "pick(" + e("bool") + ", " + e("int") + ", " + e("int") + ")" },
			func() string { return "(box[int]{" + e("int") + "}).get()" },
			func() string { return e("map[string]int") + "[" + e("string") + "]" },
			func() string { return "int(count(" + e("int") + "))" },
			func() string {
				if w.fn+1 >= w.functions || w.literal > 0 || len(w.loops) > 0 || w.calls > 1 {
					return "n"
				}
				w.calls++
				return fmt.Sprintf("f%d(%s, %s, %s)", w.fn+1+w.rand.Intn(w.functions-w.fn-1), e("int"), e("[]int"), e("string"))
			},
		)()
	case "bool":
		if depth <= 0 {
			return one(w, "true", "false")
		}
		return one(w,
			func() string { return e("int") + one(w, " < ", " > ", " == ", " != ", " <= ") + e("int") },
			func() string { return e("int") + "%2 == 0" },
			func() string { return e("string") + one(w, " == ", " != ", " < ") + e("string") },
			func() string { return e("bool") + one(w, " && ", " || ") + e("bool") },
			func() string { return "!(" + e("bool") + ")" },
			func() string { return "(" + e("pair") + " == " + e("pair") + ")" },
		)()
	case "string":
		if depth <= 0 {
			return one(w, `"x"`, `"yz"`, `""`, `"ü"`)
		}
		return one(w,
			func() string { return one(w, `"a"`, `"long text"`, "`raw`") },
			func() string { return e("string") + " + " + e("string") },
			func() string { return "fmt.Sprint(" + e("int") + ")" },
			func() string { return "pick(" + e("bool") + ", " + e("string") + ", " + e("string") + ")" },
			func() string { return "string(rune('a' + len(" + e("string") + ")%5))" },
		)()
	case "[]int":
		if depth <= 0 {
			return "([]int{" + w.numbers(w.rand.Intn(4)) + "})"
		}
		return one(w,
			func() string { return "([]int{" + e("int") + ", " + e("int") + "})" },
			func() string { return "append([]int(nil), " + e("int") + ")" },
			func() string { return "pick(" + e("bool") + ", " + e("[]int") + ", nil)" },
			func() string { return "([]int{" + w.numbers(w.rand.Intn(4)) + "})" },
		)()
	case "pair":
		if depth <= 0 {
			return "(pair{1, 2})"
		}
		return one(w,
			func() string { return "(pair{" + e("int") + ", " + e("int") + "})" },
			func() string { return "(pair{b: " + e("int") + "})" },
			func() string { return "(*" + e("*pair") + ")" },
			func() string { return "(box[pair]{" + e("pair") + "}).get()" },
		)()
	case "*pair":
		return "(&pair{" + w.expression("int", min(depth-1, 1)) + ", 3})"
	case "map[string]int":
		return "(map[string]int{\"k\": " + w.expression("int", min(depth-1, 1)) + "})"
	case "shape":
		return one(w,
			func() string { return "shape(count(" + w.expression("int", min(depth-1, 1)) + "))" },
			func() string { return "shape(" + w.expression("pair", min(depth-1, 1)) + ")" },
			func() string { return "shape(" + w.expression("*pair", min(depth-1, 1)) + ")" },
		)()
	}
	// func(int) int
	return "func(i int) int { return i " + one(w, "+ 1", "* 2", "- n") + " }"
}

package random

import "fmt"

// statements writes statements, the last of which may leave the block.
func (w *writer) statements(n int) {
	for i := 0; i < n && w.room > 0; i++ {
		w.room--
		kinds := simple()
		if w.depth < 5 && !w.chance(3) {
			kinds = compound()
		}
		one(w, kinds...)(w)
		if w.chance(12) {
			w.line("")
		}
		if w.chance(15) {
			w.line("// A comment.")
		}
	}
	if w.depth > 1 && w.chance(3) {
		w.leave()
	}
}

// leave writes a statement that ends a block.
func (w *writer) leave() {
	switch {
	case len(w.loops) > 0 && !w.chance(6):
		m := one(w, w.loops...)
		inner := w.loops[len(w.loops)-1]
		word := "break"
		if m.loop && w.chance(2) {
			word = "continue"
		}
		if m == inner && w.chance(2) {
			w.line("%s", word)
			return
		}
		m.used = true
		w.line("%s %s", word, m.label)
	case w.result == "int":
		w.line("return %s", w.expression("int", 2))
	default:
		w.line("return")
	}
}

// marked writes a statement that break and continue may name. Its label stands before it if one
// did.
func (w *writer) marked(loop bool, write func()) {
	w.names++
	m := &mark{label: fmt.Sprintf("L%d", w.names), loop: loop}
	w.loops = append(w.loops, m)
	before := w.text.String()
	w.text.Reset()
	write()
	w.loops = w.loops[:len(w.loops)-1]
	text := w.text.String()
	w.text.Reset()
	w.text.WriteString(before)
	if m.used {
		w.depth--
		w.line("%s:", m.label)
		w.depth++
	}
	w.text.WriteString(text)
}

// simple are the statements without others in them.
func simple() []func(*writer) {
	return []func(*writer){
		func(w *writer) {
			w.line("%s %s %s", w.variable("int"), one(w, "=", "+=", "-=", "^="), w.expression("int", 3))
		},
		func(w *writer) { w.line("sum += %s", w.expression("int", 2)) },
		func(w *writer) { w.line("%s%s", w.variable("int"), one(w, "++", "--")) },
		func(w *writer) {
			w.declaration(one(w, "int", "string", "bool", "[]int", "pair", "*pair", "map[string]int", "func(int) int", "shape"))
		},
		func(w *writer) { w.declaration("int") },
		func(w *writer) { w.line("sum, n = n, %s", w.expression("int", 2)) },
		func(w *writer) {
			a, t := w.fresh("int"), w.fresh("string")
			w.line("%s, %s := two(%s)", a, t, w.expression("int", 2))
			w.line("sum += %s + len(%s)", a, t)
			w.declare(a, "int")
			w.declare(t, "string")
		},
		func(w *writer) {
			w.names++
			w.line("const c%d, d%d = %d, iota", w.names, w.names, w.rand.Intn(9))
		},
		func(w *writer) { w.line("all(%s)", w.expression("int", 3)) },
		func(w *writer) {
			if l := w.variable("[]int"); l != "" {
				w.line("%s = append(%s, %s)", l, l, w.expression("int", 1))
				w.line("%s[0] = %s", l, w.expression("int", 2))
			}
		},
		func(w *writer) {
			if m := w.variable("map[string]int"); m != "" {
				w.line("%s", one(w, m+"[\"k\"] += "+w.expression("int", 1), m+"[\"k\"]--", "clear("+m+")", "delete("+m+", "+w.expression("string", 1)+")"))
			}
		},
		func(w *writer) {
			if p := w.variable(one(w, "pair", "*pair")); p != "" {
				w.line("%s%s", p, one(w, ".a = "+w.expression("int", 2), ".b++", ".add("+w.expression("int", 1)+")"))
			}
		},
		func(w *writer) { w.line("defer all(%s)", w.expression("int", 2)) },
		func(w *writer) {
			w.names++
			w.line("ch%d := make(chan int, 2)", w.names)
			w.line("ch%d <- %s", w.names, w.expression("int", 2))
			w.line("sum += <-ch%d", w.names)
		},
		func(w *writer) { w.line("n = n; sum++") },
		func(w *writer) { w.line("if %s { sum-- }", w.expression("bool", 2)) },
		func(w *writer) { w.line("for i := range 2 { sum += i }") },
		func(w *writer) {
			v := w.fresh("int")
			w.line("%s, ok%s := any(%s).(int); if ok%s { sum += %s }", v, v, w.expression(one(w, "int", "string"), 1), v, v)
		},
		func(w *writer) {
			v := w.fresh("int")
			w.line("if %s, ok := %s[%s]; ok { sum += %s }", v, w.expression("map[string]int", 1), w.expression("string", 1), v)
		},
		func(w *writer) { w.line("_ = (named{%s, %s}).sum", w.expression("pair", 1), w.expression("string", 1)) },
	}
}

// declaration writes the declaration of a variable, and a use of it.
func (w *writer) declaration(typ string) {
	name := w.fresh(typ)
	value := w.expression(typ, 2)
	if w.chance(8) {
		typ2 := map[string]string{"int": "0", "string": `""`, "bool": "false"}[typ]
		if typ2 != "" {
			w.line("var %s %s", name, typ)
			value = ""
		}
	}
	if value != "" {
		w.line("%s", one(w, name+" := "+value, "var "+name+" = "+value, "var "+name+" "+typ+" = "+value))
	}
	w.declare(name, typ)
	if w.chance(3) && typ == "int" {
		w.line("sum += %s", name)
	} else {
		w.line("_ = %s", name)
	}
}

// compound are the statements with blocks.
func compound() []func(*writer) {
	return []func(*writer){
		(*writer).ifs, (*writer).ifs, (*writer).fors, (*writer).fors, (*writer).ranges, (*writer).ranges,
		(*writer).switches, (*writer).switches, (*writer).typeSwitch, (*writer).selects,
		(*writer).defers, (*writer).literals, (*writer).goroutine, (*writer).gotos,
		func(w *writer) {
			w.line("{")
			w.block(2)
			w.line("}")
		},
	}
}

func (w *writer) ifs() {
	head := w.expression("bool", 2)
	var declared []string
	if w.chance(3) {
		v := w.fresh("int")
		head = fmt.Sprintf("%s := %s; %s > %d", v, w.expression("int", 2), v, w.rand.Intn(4))
		declared = []string{v, "int"}
	}
	w.line("if %s {", head)
	w.block(2, declared...)
	for w.chance(2) {
		w.line("} else if %s {", w.expression("bool", 2))
		w.block(1, declared...)
	}
	if w.chance(2) {
		w.line("} else {")
		w.block(2, declared...)
	}
	w.line("}")
}

func (w *writer) fors() {
	v := w.fresh("int")
	w.marked(true, func() {
		switch w.rand.Intn(4) {
		case 0:
			w.line("for %s := 0; %s < %d; %s++ {", v, v, 1+w.rand.Intn(3), v)
			w.block(3)
		case 1:
			w.line("for %s, more := 0, true; more && %s < 3; %s, more = %s+1, %s {", v, v, v, v, w.expression("bool", 1))
			w.block(2)
		case 2:
			// The counter is declared before, where a label of the loop may not stand.
			w.line("for tick := 0; ; tick++ {")
			w.line("\tif tick > 1 {")
			w.line("\t\tbreak")
			w.line("\t}")
			w.block(2)
		default:
			w.line("for todo := %s; len(todo) > 0; {", "[]int{"+w.numbers(1+w.rand.Intn(3))+"}")
			w.line("\tsum += todo[0]")
			w.line("\ttodo = todo[1:]")
			w.block(2)
		}
		w.line("}")
	})
}

func (w *writer) ranges() {
	v := w.fresh("int")
	w.marked(true, func() {
		switch w.rand.Intn(7) {
		case 0:
			w.line("for %s := range %d {", v, 1+w.rand.Intn(3))
			w.line("\tsum += %s", v)
			w.block(2)
		case 1:
			w.line("for i, %s := range []int{%s} {", v, w.numbers(1+w.rand.Intn(3)))
			w.line("\tsum += i * %s", v)
			w.block(3, v, "int")
		case 2:
			w.line("for range 2 {")
			w.block(2)
		case 3:
			w.line("for _, c := range %q {", []string{"a", "bü", "xyz"}[w.rand.Intn(3)])
			w.line("\tsum += int(c) %% 5")
			w.block(2)
		case 4:
			w.line("for k, %s := range map[string]int{\"k\": %s} {", v, w.expression("int", 1))
			w.line("\tsum += len(k) + %s", v)
			w.block(2, "k", "string", v, "int")
		case 5:
			w.line("for %s = range xs[:min(len(xs), 2)] {", "n")
			w.block(2)
		default:
			w.line("for %s := range upto(%d) {", v, 1+w.rand.Intn(3))
			w.line("\tsum -= %s", v)
			w.block(2)
		}
		w.line("}")
	})
}

func (w *writer) switches() {
	tagged := w.chance(2)
	head := "switch {"
	var declared []string
	if tagged {
		head = fmt.Sprintf("switch (%s) %% 4 {", w.expression("int", 2))
	}
	if w.chance(4) {
		v := w.fresh("int")
		declared = []string{v, "int"}
		head = fmt.Sprintf("switch %s := %s; %s > 2 {", v, w.expression("int", 2), v)
		if tagged {
			head = fmt.Sprintf("switch %s := %s; %s & 3 {", v, w.expression("int", 2), v)
		}
	}
	clauses := 1 + w.rand.Intn(3)
	other := w.rand.Intn(clauses + 2) // where the default is, if anywhere
	w.marked(false, func() {
		w.line("%s", head)
		for n := range clauses {
			if n == other {
				w.line("default:")
				w.block(1, declared...)
			}
			if tagged {
				w.line("case %s:", one(w, fmt.Sprint(n), fmt.Sprintf("%d, %d", n, n+10), fmt.Sprintf("len(s) + %d", 10*n)))
			} else {
				// Constants may not come twice, so that none is one.
				w.line("case (n > %d) != (%s)%s:", n, w.expression("bool", 2), one(w, "", ", s == "+w.expression("string", 1)+" && n < 5"))
			}
			fall := n+1 < clauses && n+1 != other && w.chance(6)
			if fall {
				w.line("\tsum++")
				w.line("\tfallthrough")
			} else if !w.chance(10) {
				w.block(2, declared...)
			}
		}
		if other == clauses {
			w.line("default:")
			w.block(1, declared...)
		}
		w.line("}")
	})
}

func (w *writer) typeSwitch() {
	w.marked(false, func() {
		bound := w.chance(2)
		x := "any(" + w.expression(one(w, "int", "string", "pair", "*pair", "[]int"), 1) + ")"
		if bound {
			w.line("switch x := %s.(type) {", x)
		} else {
			w.line("switch %s.(type) {", x)
		}
		for _, typ := range []string{"int", "string", "pair"} {
			if w.chance(3) {
				continue
			}
			w.line("case %s:", typ)
			if bound {
				w.line("\t%s", map[string]string{"int": "sum += x", "string": "sum += len(x)", "pair": "sum += x.sum()"}[typ])
			}
			w.block(1)
		}
		w.line("case nil, shape:")
		if bound {
			w.line("\t_ = x")
		}
		w.block(1)
		if w.chance(2) {
			w.line("default:")
			w.block(1)
		}
		w.line("}")
	})
}

func (w *writer) selects() {
	w.names++
	ch := fmt.Sprintf("ch%d", w.names)
	v := w.fresh("int")
	w.line("%s := make(chan int, 1)", ch)
	form := w.rand.Intn(3)
	if form == 2 {
		w.line("close(%s)", ch)
	}
	w.marked(false, func() {
		switch form {
		case 0:
			w.line("select {")
			w.line("case %s <- %s:", ch, w.expression("int", 2))
			w.block(1)
			w.line("case %s := <-%s:", v, ch)
			w.block(1, v, "int")
			w.line("\t_ = %s", v)
		case 1:
			w.line("select {")
			w.line("case %s, ok := <-%s:", v, ch)
			w.line("\t_, _ = %s, ok", v)
			w.block(1, v, "int")
			w.line("default:")
			w.block(2)
		default:
			w.line("select {")
			w.line("case <-%s:", ch)
			w.block(2)
			w.line("case <-make(chan bool):")
			w.block(1)
		}
		w.line("}")
	})
}

// within writes the body of a function literal, with its own parameters and without the loops
// around.
func (w *writer) within(result string, declared ...string) {
	loops, was := w.loops, w.result
	w.loops, w.result = nil, result
	w.literal++
	w.block(2, declared...)
	w.literal--
	w.loops, w.result = loops, was
}

func (w *writer) defers() {
	w.line("defer func() {")
	w.within("")
	w.line("}()")
}

func (w *writer) literals() {
	switch w.rand.Intn(4) {
	case 0:
		w.line("sum += func(i int) int {")
		w.within("int", "i", "int")
		w.line("\treturn i + sum")
		w.line("}(%s)", w.expression("int", 1))
	case 1:
		g := w.fresh("func(int) int")
		w.line("%s := func(i int) int {", g)
		w.within("int", "i", "int")
		w.line("\treturn i + 1")
		w.line("}")
		w.line("sum -= %s(%s)", g, w.expression("int", 1))
		w.declare(g, "func(int) int")
	case 2:
		w.line("sum += safe(func() int {")
		w.within("int")
		w.line("\tpanic(%s)", w.expression("string", 1))
		w.line("})")
	default:
		w.line("func() {")
		w.within("")
		w.line("}()")
	}
}

func (w *writer) goroutine() {
	w.names++
	done := fmt.Sprintf("done%d", w.names)
	w.line("%s := make(chan bool)", done)
	w.line("go func(i int) {")
	w.line("\tdefer close(%s)", done)
	w.within("", "i", "int")
	w.line("}(%s)", w.expression("int", 1))
	w.line("<-%s", done)
}

// gotos writes a loop made of goto, which is in a block of its own so that it jumps over no
// declaration.
func (w *writer) gotos() {
	w.names++
	label := fmt.Sprintf("G%d", w.names)
	w.line("{")
	if w.chance(2) {
		w.line("\ttry := 0")
		w.depth--
		w.line("\t%s:", label)
		w.depth++
		w.line("\ttry++")
		w.line("\tif try < %d {", 2+w.rand.Intn(2))
		w.depth++
		w.block(1)
		w.depth--
		w.line("\t\tgoto %s", label)
		w.line("\t}")
	} else {
		w.line("\tif %s {", w.expression("bool", 2))
		w.line("\t\tgoto %s", label)
		w.line("\t}")
		w.line("\tsum++")
		w.line("%s:", label)
		w.line("\tsum += 2")
	}
	w.line("}")
}

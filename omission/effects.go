package omission

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An effect is an operation that a call of a function may lead to, and which of the
// function's parameters its object is then; -1 where it is none.
type effect struct {
	op    *operation
	param int
}

// effects finds what calls of functions lead to.
type effects struct {
	p   *program
	s   *Subject
	ops [][]*operation // of functions, by number
	// memo are the effects of functions within a number of calls, with the distance.
	memo map[effectKey]map[effect]int
	// given are the calls that are given the object, as operations.
	given map[givenKey]*operation
}

// givenKey is an expression that a call is given.
type givenKey struct {
	call   *ast.CallExpr
	object ast.Expr
	of     *Subject
}

type effectKey struct{ fn, calls int }

func newEffects(p *program, s *Subject) *effects {
	e := &effects{p: p, s: s, ops: make([][]*operation, len(p.funcs)), memo: map[effectKey]map[effect]int{}, given: map[givenKey]*operation{}}
	for _, f := range p.funcs {
		if f != nil {
			e.ops[f.id] = append(f.operations(p, s), e.outward(f)...)
		}
	}
	return e
}

// outward are the operations of a function that are calls of functions that are not
// recorded, or of the function that the subject is.
func (e *effects) outward(f *function) []*operation {
	var list []*operation
	for _, c := range f.calls {
		if slices.ContainsFunc(c.callees, func(id int) bool { return e.s.Funcs[id] }) {
			list = append(list, &operation{fn: f, node: c.node, expr: c.expr, operand: c.expr.Fun, kind: Call, dynamic: c.dynamic, of: e.s})
			continue
		}
		if op := e.ofHeld(f, c); op != nil {
			list = append(list, op)
		}
		if op := e.onField(f, c); op != nil {
			list = append(list, op)
			continue
		}
		if name := reflected(c.external); name != "" {
			list = append(list, e.byReflection(f, c, name)...)
			continue
		}
		if c.external == nil {
			if op := e.throughInterface(f, c); op != nil {
				list = append(list, op)
			}
			continue
		}
		if op := e.intoField(f, c); op != nil {
			list = append(list, op)
			continue
		}
		if op := e.onPart(f, c); op != nil {
			list = append(list, op)
			continue
		}
		if e.s.Field != "" {
			continue
		}
		for i, x := range c.operands {
			receiver := i == 0 && len(c.operands) > len(c.expr.Args)
			if receiver {
				x = base(f, x)
			}
			if x == nil || !e.p.may(f, x, e.s) {
				continue
			}
			kind := Read
			if e.s.writer && receiver && !readers[c.external.Name()] {
				kind = Write
			} else if n, ok := writesTo[c.external.FullName()]; ok && n == i {
				kind = Write
			} else if changes, known := e.p.aliases.Changes(f.pkg, c.expr, e.s); known && changes || !known && changesByName(c.external, receiver) {
				kind = Write
			}
			list = append(list, &operation{fn: f, node: c.node, expr: c.expr, operand: x, kind: kind, of: e.s})
			if path := ofModule(c.external); path != "" {
				e.s.outside(path)
			}
			break
		}
	}
	return list
}

// onPart is a method that is called on a map or a slice which the subject holds, and changes it, by its name: http.Header and
// url.Values have some.
func (e *effects) onPart(f *function, c *call) *operation {
	if len(c.operands) <= len(c.expr.Args) || !changers.MatchString(c.external.Name()) {
		return nil
	}
	for _, part := range e.s.Parts {
		if e.p.may(f, c.operands[0], part) {
			return &operation{fn: f, node: c.node, expr: c.expr, operand: c.operands[0], kind: Write, field: part.Name, of: part}
		}
	}
	return nil
}

// throughInterface is a call of a method of an interface that may be the subject: of one that a writer is known by, as an io.Writer that
// zip.Writer.Create gave, as what it writes comes to what the writer writes to; or of one whose method of that name is in no
// recorded package, as the Write of a buffer. It is nil of other calls.
func (e *effects) throughInterface(f *function, c *call) *operation {
	sel, ok := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)
	if !ok || readers[sel.Sel.Name] {
		return nil
	}
	s := f.pkg.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	of := s.Obj().(*types.Func).Signature().Recv().Type()
	if !types.IsInterface(of) || !e.s.writer && !e.outside(s.Obj()) {
		return nil
	}
	if types.IsInterface(typeOf(f, sel.X)) {
		if !e.p.may(f, sel.X, e.s) {
			return nil
		}
	} else if len(e.s.Instances) == 0 || !e.s.fits(of) {
		return nil // of an interface that is embedded: which object it holds is not known of the expression
	}
	return &operation{fn: f, node: c.node, expr: c.expr, operand: sel.X, kind: Write, of: e.s}
}

// outside reports whether the subject has a method of an interface's name, which is not recorded and may change it.
func (e *effects) outside(method types.Object) bool {
	if e.s.Type == nil || e.s.Field != "" {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(e.s.Type), true, method.Pkg(), method.Name())
	fn, ok := obj.(*types.Func)
	if !ok || types.IsInterface(e.s.Type) {
		return false
	}
	_, recorded := e.p.code.Declared(fn)
	return !recorded && changesByName(fn, true)
}

// ofHeld is a call of a function, or of a method of an interface, that a field of the
// subject holds, or an element of what a field holds: a handler, a hook, a plugin.
func (e *effects) ofHeld(f *function, c *call) *operation {
	if !c.dynamic || len(e.s.Instances) == 0 {
		return nil
	}
	fun := ast.Unparen(c.expr.Fun)
	if recv := f.receiver(c.expr); recv != nil {
		fun = ast.Unparen(recv)
	}
	if id, ok := fun.(*ast.Ident); ok {
		v := f.pkg.Info.ObjectOf(id)
		if x := f.ranges[v]; x != nil {
			fun = x
		} else if f.assigned[v] == 1 && f.defs[v] != nil {
			fun = ast.Unparen(f.defs[v])
		}
	}
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = ast.Unparen(index.X)
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || f.pkg.Info.Selections[sel] == nil || f.pkg.Info.Selections[sel].Kind() != types.FieldVal {
		return nil
	}
	object, field, _ := f.operand(sel)
	if object == nil || !e.s.concerns(field) && e.s.Field != "" || !e.p.may(f, object, e.s) {
		return nil
	}
	return &operation{fn: f, node: c.node, expr: c.expr, operand: object, kind: Held, field: field, of: e.s}
}

// onField is a method that is called on the field of interest, which is a value, and may
// change it.
func (e *effects) onField(f *function, c *call) *operation {
	if e.s.Field == "" || len(c.operands) != len(c.expr.Args)+1 {
		return nil
	}
	sel := f.pkg.Info.Selections[ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)]
	fn, ok := sel.Obj().(*types.Func)
	if !ok || !isPointer(fn.Signature().Recv().Type()) || readers[fn.Name()] {
		return nil
	}
	if t := f.pkg.Info.TypeOf(c.operands[0]); t == nil || refers(t) {
		return nil
	}
	object, field, _ := f.operand(c.operands[0])
	if object == nil || !e.s.concerns(field) || !e.p.may(f, object, e.s) {
		return nil
	}
	return &operation{fn: f, node: c.node, expr: c.expr, operand: object, kind: Write, field: field, of: e.s}
}

// intoField is a call of a function that is not recorded, is given the address of a field or
// an element of the subject, and changes what is there: atomic.AddInt64(&c.hits, 1),
// fmt.Sscan(text, &p.x), flags.IntVar(&o.level, …).
func (e *effects) intoField(f *function, c *call) *operation {
	changes, _ := e.p.aliases.Changes(f.pkg, c.expr, e.s)
	if !changes && !fills.MatchString(c.external.Name()) {
		return nil
	}
	for _, x := range c.expr.Args {
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			continue
		}
		object, field, _ := f.operand(ast.Unparen(u.X))
		if object == nil || field == "" || !e.s.concerns(field) && e.s.Field != "" || !e.p.may(f, object, e.s) {
			continue
		}
		return &operation{fn: f, node: c.node, expr: c.expr, operand: object, kind: Write, field: field, of: e.s}
	}
	return nil
}

// base is the object that a method is called on: of a field that is a value, what it is
// a field of.
func base(f *function, x ast.Expr) ast.Expr {
	if t := f.pkg.Info.TypeOf(x); t != nil && refers(t) {
		return x
	}
	object, _, _ := f.operand(x)
	return object
}

// param is which of a function's parameters an expression is; -1 if none that is never
// assigned to.
func (f *function) param(x ast.Expr) int {
	for range 8 {
		x = ast.Unparen(x)
		id, ok := x.(*ast.Ident)
		if !ok {
			return -1
		}
		v := f.pkg.Info.ObjectOf(id)
		for i, p := range f.params {
			if p != nil && v == p {
				if f.assigned[v] > 1 {
					return -1
				}
				return i
			}
		}
		if f.assigned[v] != 1 || f.defs[v] == nil {
			return -1
		}
		x = f.defs[v]
	}
	return -1
}

// argument is what a callee's parameter is at a call; nil if that is not in the text.
func (c *call) argument(callee *function, param int) ast.Expr {
	if c.indirect || param < 0 {
		return nil
	}
	if d, ok := callee.node.(*ast.FuncDecl); ok && d.Recv == nil && len(c.operands) > len(c.expr.Args) {
		return nil // a field that is a function
	} else if ok && d.Recv != nil && len(c.operands) < len(callee.params) && c.dynamic {
		// A method as a value, which has its receiver.
		if param == 0 {
			return nil
		}
		param--
	}
	if param >= len(c.operands) {
		return nil
	}
	if param == len(callee.params)-1 && c.expr.Ellipsis == 0 && len(c.operands) > len(callee.params) {
		return nil // one of several
	}
	return c.operands[param]
}

// of are the effects of a function within a number of calls.
func (e *effects) of(id, calls int) map[effect]int {
	k := effectKey{id, calls}
	if m, ok := e.memo[k]; ok {
		return m
	}
	m := map[effect]int{}
	e.memo[k] = m
	f := e.p.funcs[id]
	if f == nil {
		return m
	}
	add := func(x effect, distance int) {
		if old, ok := m[x]; !ok || distance < old {
			m[x] = distance
		}
	}
	for _, op := range e.ops[id] {
		param := -1
		if op.operand != nil {
			param = f.param(op.operand)
		}
		add(effect{op, param}, 0)
	}
	e.below(f, calls, func(c *call, callee *function, x effect, distance int) {
		object, known := e.object(f, c, callee, x)
		switch {
		case !known:
			add(effect{x.op, -1}, distance+1)
		case object == nil:
		case f.param(object) >= 0:
			add(effect{x.op, f.param(object)}, distance+1)
		default:
			add(effect{e.give(f, c, object, x.op, distance), -1}, 0)
		}
	})
	return m
}

// below yields the effects of what a function calls, within a number of calls.
func (e *effects) below(f *function, calls int, yield func(c *call, callee *function, x effect, distance int)) {
	if calls == 0 {
		return
	}
	for _, c := range f.calls {
		for _, g := range c.callees {
			if callee := e.p.funcs[g]; callee != nil {
				for x, d := range e.of(g, calls-1) {
					yield(c, callee, x, d)
				}
			}
		}
	}
}

// object is what a parameter of a callee is at a call; nil if that cannot be the
// subject. It is not known of what is no parameter, or not in the text.
func (e *effects) object(f *function, c *call, callee *function, x effect) (object ast.Expr, known bool) {
	arg := c.argument(callee, x.param)
	if arg == nil {
		return nil, false
	}
	object = base(f, ast.Unparen(arg))
	if object == nil || !e.p.may(f, object, x.op.of) {
		return nil, true
	}
	return object, true
}

// give is a call that is given the object, as an operation: all that it does with it is
// one.
func (e *effects) give(f *function, c *call, object ast.Expr, inner *operation, distance int) *operation {
	k := givenKey{c.expr, object, inner.of}
	op := e.given[k]
	if op == nil {
		op = &operation{fn: f, node: c.node, expr: c.expr, operand: object, of: inner.of}
		e.given[k] = op
	} else if !better(inner, distance, op.inner, op.depth) {
		return op
	}
	op.kind, op.inner, op.depth = inner.kind, inner, distance+1
	return op
}

// A goal is a place in a function that leads to an operation if it is executed.
type goal struct {
	op       *operation
	node     *node
	operand  ast.Expr // what is the object there; nil if that is not known
	distance int
	call     *call // the call that leads there; nil if the operation is here
	callee   int
}

// goals are all places in a function from which operations are within a number of
// calls. A call that is given the object is one operation, whatever it does with it.
func (e *effects) goals(f *function, calls int) []goal {
	var list []goal
	for _, op := range e.ops[f.id] {
		list = append(list, goal{op: op, node: op.node, operand: op.operand})
	}
	type given struct {
		op     *operation
		callee int
	}
	direct := map[given]bool{}
	e.below(f, calls, func(c *call, callee *function, x effect, distance int) {
		object, known := e.object(f, c, callee, x)
		switch {
		case !known:
			list = append(list, goal{op: x.op, node: c.node, distance: distance + 1, call: c, callee: callee.id})
		case object != nil:
			if k := (given{e.give(f, c, object, x.op, distance), callee.id}); !direct[k] {
				direct[k] = true
				list = append(list, goal{op: k.op, node: c.node, operand: object, call: c, callee: callee.id})
			}
		}
	})
	return list
}

// better reports whether an operation, so many calls further, says more of what a call does
// than another.
func better(a *operation, distance int, b *operation, depth int) bool {
	return cmp.Or(cmp.Compare(order[a.kind], order[b.kind]), cmp.Compare(distance+1, depth), cmp.Compare(a.fn.id, b.fn.id), cmp.Compare(a.expr.Pos(), b.expr.Pos())) < 0
}

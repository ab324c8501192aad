package source

import "go/ast"

// A Func is a declared function, by the name that debuggers use.
type Func struct {
	Name    string // main.f, main.T.m, main.(*T).m; without type parameters
	Place          // of the func keyword
	End     int    // last line
	Generic bool
	Decl    *ast.FuncDecl

	file        *File
	first, last int // lines of the file
}

// Funcs lists the functions with a body.
func (s *Source) Funcs() []Func {
	var funcs []Func
	for _, f := range s.Files {
		for _, d := range f.AST.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil || fd.Name.Name == "_" {
				continue
			}
			fn := Func{
				Name: f.AST.Name.Name + "." + fd.Name.Name, Generic: fd.Type.TypeParams != nil, Decl: fd,
				file: f, first: s.line(fd.Pos()), last: s.line(fd.End()),
			}
			fn.Place, fn.End = s.named(physical{f, fn.first}), s.named(physical{f, fn.last}).Line
			if fd.Recv != nil && len(fd.Recv.List) == 1 {
				t := fd.Recv.List[0].Type
				star := false
				if p, ok := t.(*ast.StarExpr); ok {
					t, star = p.X, true
				}
				switch x := t.(type) {
				case *ast.IndexExpr:
					t, fn.Generic = x.X, true
				case *ast.IndexListExpr:
					t, fn.Generic = x.X, true
				}
				id, ok := t.(*ast.Ident)
				if !ok {
					continue
				}
				fn.Name = f.AST.Name.Name + "." + id.Name + "." + fd.Name.Name
				if star {
					fn.Name = f.AST.Name.Name + ".(*" + id.Name + ")." + fd.Name.Name
				}
			}
			funcs = append(funcs, fn)
		}
	}
	return funcs
}

// FuncAt finds the declared function around a line.
func (s *Source) FuncAt(p Place) *Func {
	l, ok := s.find(p)
	if !ok {
		return nil
	}
	for _, fn := range s.Funcs() {
		if fn.file == l.file && fn.first <= l.line && l.line <= fn.last {
			return &fn
		}
	}
	return nil
}

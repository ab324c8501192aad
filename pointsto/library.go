package pointsto

import "strings"

// The library are the packages of the standard library. Most of them are not analysed
// by their bodies, but by the types that they declare; see group.

// bodies are the packages of the library that are analysed by their bodies: those that
// keep what they are given, pass it on, or are containers of it.
var bodies = set(
	"bufio", "bytes", "cmp", "container/heap", "container/list", "container/ring", "context",
	"errors", "flag", "io", "io/fs", "io/ioutil", "iter", "maps", "math/big", "net/url",
	"slices", "sort", "strings", "sync", "sync/atomic", "text/tabwriter",
)

// libraries are the folders of the other packages, and the group that each belongs to.
// What is given to a package of a group may come out of each of the group.
var libraries = map[string]string{
	"archive": "archive", "bufio": "io", "bytes": "io", "cmp": "io", "compress": "compress",
	"container": "io", "context": "context", "crypto": "crypto", "database": "database", "debug": "debug",
	"embed": "os", "encoding": "encoding", "errors": "io", "expvar": "net", "flag": "io", "fmt": "fmt",
	"go": "go", "hash": "hash", "html": "text", "image": "image", "index": "index", "internal": "internal",
	"io": "io", "iter": "io", "log": "log", "maps": "io", "math": "math", "mime": "net", "net": "net",
	"os": "os", "path": "path", "plugin": "plugin", "reflect": "reflect", "regexp": "regexp",
	"runtime": "runtime", "slices": "io", "sort": "io", "strconv": "strconv", "strings": "io",
	"structs": "io", "sync": "sync", "syscall": "os", "testing": "testing", "text": "text", "time": "time",
	"unicode": "unicode", "unique": "unique", "unsafe": "runtime", "vendor": "internal", "weak": "weak",
}

// A manner is how a group treats what it is given.
type manner struct {
	// reflects says that it looks into values of all types, and not only of those that
	// it declares.
	reflects bool
	// boxing groups give interfaces with values of types that they found by reflection.
	boxing bool
	// quiet groups change nothing and give nothing of it back.
	quiet bool
	// every method of a value may be called by its name, not only those of interfaces of
	// the library.
	every bool
	// bare groups make nothing but values in interfaces.
	bare bool
	// shallow groups do not look into what they are given, but for lists of interfaces.
	shallow bool
	// reads says that a call calls back methods of what it is given itself only.
	reads bool
}

// manners are those of groups by their names; others have none of it.
var manners = map[string]manner{
	"fmt":      {reflects: true, quiet: true},
	"log":      {reflects: true, quiet: true},
	"strconv":  {quiet: true},
	"encode":   {reflects: true, quiet: true},
	"nothing":  {quiet: true},
	"passing":  {quiet: true, shallow: true},
	"faults":   {bare: true, shallow: true},
	"errors":   {shallow: true, reads: true},
	"encoding": {reflects: true},
	"database": {reflects: true},
	"testing":  {reflects: true, boxing: true}, // testing/quick calls functions by reflection
	"reflect":  {reflects: true, boxing: true},
	"text":     {},
	"template": {reflects: true, quiet: true, every: true, boxing: true},
}

// A route is where functions do not belong to the group of their package: the groups of
// what they are given and of what they give.
type route struct{ in, out string }

// routes are those of functions by their names.
var routes = table(map[route]string{
	{"encode", "os"}: `
		encoding/json.Marshal encoding/json.MarshalIndent (*encoding/json.Encoder).Encode
		encoding/xml.Marshal encoding/xml.MarshalIndent (*encoding/xml.Encoder).Encode
		(*encoding/xml.Encoder).EncodeElement (*encoding/gob.Encoder).Encode
		encoding/binary.Write encoding/binary.Size encoding/binary.Append encoding/binary.Encode
		encoding/asn1.Marshal encoding/asn1.MarshalWithParams`,
	{"fmt", "os"}: `
		fmt.Print fmt.Printf fmt.Println fmt.Sprint fmt.Sprintf fmt.Sprintln
		fmt.Fprint fmt.Fprintf fmt.Fprintln fmt.Append fmt.Appendf fmt.Appendln`,
	{"errors", "errors"}: `fmt.Errorf`,
	{"template", "os"}: `
		(*text/template.Template).Execute (*text/template.Template).ExecuteTemplate
		(*html/template.Template).Execute (*html/template.Template).ExecuteTemplate`,
	{"nothing", "reflect"}: `
		reflect.DeepEqual internal/reflectlite.TypeOf`,
	{"nothing", "os"}: `
		(*os.File).Write (*os.File).WriteString os.WriteFile os.Exit
		(*testing.common).Name (*testing.common).Fail (*testing.common).Failed (*testing.common).FailNow
		(*testing.common).Log (*testing.common).Logf (*testing.common).Error (*testing.common).Errorf
		(*testing.common).Fatal (*testing.common).Fatalf (*testing.common).Skip (*testing.common).Skipf
		(*testing.common).SkipNow (*testing.common).Skipped (*testing.common).Helper (*testing.common).TempDir
		(*testing.common).Setenv (*testing.common).Chdir
		(net/http.Header).Add (net/http.Header).Set (net/http.Header).Get (net/http.Header).Del
		(net/http.Header).Values net/http.Error net/http.Redirect net/http.NotFound net/http.StatusText
		net/http.SetCookie net/http.DetectContentType (*net/http.Request).FormValue
		(*net/http.Request).PathValue (*net/http.Request).UserAgent (*net/http.Request).BasicAuth`,
	{"nothing", "net"}: `
		(*net/http.Request).Context (*net/http.Request).Cookie (*net/http.Request).Cookies`,
	{"methods", "methods"}: `log/slog.New log/slog.SetDefault log.SetOutput log.New (*log.Logger).SetOutput`,
})

// A localRoute is how a call is treated that shares nothing with other calls.
type localRoute struct {
	manner
	// sets says that the call changes what its arguments lead to, by reflection.
	sets bool
}

// locals are functions each of whose calls is a group of its own, by their names.
var locals = func() map[string]*localRoute {
	m := map[string]*localRoute{}
	for names, l := range map[string]localRoute{
		`encoding/json.Unmarshal (*encoding/json.Decoder).Decode encoding/xml.Unmarshal
		(*encoding/xml.Decoder).Decode (*encoding/xml.Decoder).DecodeElement
		(*encoding/gob.Decoder).Decode encoding/binary.Read encoding/binary.Decode
		encoding/asn1.Unmarshal encoding/asn1.UnmarshalWithParams
		fmt.Sscan fmt.Sscanf fmt.Sscanln fmt.Fscan fmt.Fscanf fmt.Fscanln fmt.Scan fmt.Scanf fmt.Scanln
		(*database/sql.Rows).Scan (*database/sql.Row).Scan`: {manner{reflects: true}, true},
		`sort.Slice sort.SliceStable`: {manner{}, true},
		`(*sync.Once).Do (*sync.WaitGroup).Go time.AfterFunc path/filepath.Walk path/filepath.WalkDir
		go/ast.Inspect sort.SliceIsSorted sort.Search sort.Find strings.Map strings.IndexFunc
		strings.FieldsFunc strings.TrimFunc strings.TrimLeftFunc strings.TrimRightFunc strings.ContainsFunc
		(*regexp.Regexp).ReplaceAllStringFunc (*regexp.Regexp).ReplaceAllFunc
		bytes.Map bytes.IndexFunc bytes.FieldsFunc bytes.TrimFunc`: {},
	} {
		for _, name := range strings.Fields(names) {
			m[name] = &l
		}
	}
	return m
}()

// passing are methods of the library's interfaces that keep nothing of their arguments,
// though they may call methods of them.
var passing = set("Is", "As", "Value", "ReadFrom", "WriteTo", "Read", "Write", "ReadAt", "WriteAt", "WriteString")

// reading are functions of the library that do not change what they are given, although
// its type would allow it, by their names. Those of quiet groups need no mention.
var reading = set(strings.Fields(`
	reflect.ValueOf reflect.TypeOf reflect.DeepEqual reflect.Indirect
	(reflect.Value).Interface (reflect.Value).Elem (reflect.Value).Field (reflect.Value).Index
	os.WriteFile (*os.File).Write (*os.File).WriteString (*os.File).Name
	crypto/sha256.Sum256 crypto/sha1.Sum crypto/md5.Sum hash/crc32.ChecksumIEEE
	encoding/hex.EncodeToString (*encoding/base64.Encoding).EncodeToString
	encoding/json.Valid unicode/utf8.RuneCount unicode/utf8.DecodeRune unicode/utf8.Valid
	(*regexp.Regexp).Match (*regexp.Regexp).Find (*regexp.Regexp).FindAll (*regexp.Regexp).MatchString
	(*regexp.Regexp).FindStringSubmatch (*regexp.Regexp).FindString (*regexp.Regexp).ReplaceAllString
	(time.Time).String (time.Time).Format (time.Time).Sub (time.Time).Before (time.Time).After
`)...)

// setting are functions that change, by reflection, what any of their group's values
// lead to, by their names.
var setting = set(strings.Fields(`
	(reflect.Value).Set (reflect.Value).SetMapIndex (reflect.Value).SetLen (reflect.Value).SetCap
	(reflect.Value).SetInt (reflect.Value).SetUint (reflect.Value).SetFloat (reflect.Value).SetComplex
	(reflect.Value).SetBool (reflect.Value).SetString (reflect.Value).SetBytes (reflect.Value).SetZero
	(reflect.Value).SetPointer (reflect.Value).SetIterKey (reflect.Value).SetIterValue
	(reflect.Value).Send (reflect.Value).TrySend (reflect.Value).Recv (reflect.Value).TryRecv
	(reflect.Value).Close (reflect.Value).Clear (reflect.Value).Grow reflect.Append reflect.AppendSlice
	reflect.Copy reflect.Select
`)...)

// extra are methods of interfaces that the library declares within functions.
const extra = `package p
type _ interface { Is(error) bool; As(any) bool; Unwrap() error; Timeout() bool; Temporary() bool }
type _ interface { Unwrap() []error }
`

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// table turns lists of names round.
func table(lists map[route]string) map[string]route {
	m := map[string]route{}
	for r, names := range lists {
		for _, n := range strings.Fields(names) {
			m[n] = r
		}
	}
	return m
}

// isLibrary reports whether a package is of the standard library.
func isLibrary(path string) bool {
	_, ok := libraries[first(path)]
	return ok
}

// byBody reports whether a package is analysed by its bodies.
func byBody(path string) bool { return bodies[path] || !isLibrary(path) }

// groupOf is the group that a package of the library belongs to.
func groupOf(path string) string { return libraries[first(path)] }

func first(path string) string {
	path, _, _ = strings.Cut(path, "/")
	return path
}

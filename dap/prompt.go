package dap

// Prompt is what an expression begins with that is a command of Delve's own.
const Prompt = "dlv "

// numbers are the types whose values have one way to be written, with how many bytes they have on 64-bit
// processors.
var numbers = map[string]int{
	"bool": 1, "int": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
	"uint": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
}

// NumberBytes is how many bytes a whole number or a truth value of a type has; 0 for other types.
func NumberBytes(typ string) int { return numbers[typ] }

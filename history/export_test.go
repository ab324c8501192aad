package history

// The words of the format, for tests outside of the package.
const (
	WordOwner, WordStamp, WordUnwind     = wordOwner, wordStamp, wordUnwind
	WordNested, WordUnnest               = wordNested, wordUnnest
	WordFarObject, WordFarMade, WordLeaf = wordFarObject, wordFarMade, wordLeaf
)

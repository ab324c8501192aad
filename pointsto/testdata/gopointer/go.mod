module gopointer

go 1.26.0

require golang.org/x/tools v0.9.1

require golang.org/x/sys v0.8.0 // indirect

godebug gotypesalias=0

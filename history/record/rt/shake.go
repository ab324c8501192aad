package rt

// What follows is only part of programs that are watched, which the recorder may have run in another order of their goroutines.

import (
	"runtime"
	"sync"
	"syscall"
)

const (
	misstepShakeSlow   = 1 << 31 // of misstepShake: wait now and then
	misstepShakeSleeps = 800     // of a tenth of a millisecond, in all
	misstepShakeAWhile = 64      // statements of all goroutines
)

var (
	misstepShakeMu         sync.Mutex // of all that follows
	misstepShakeRandom     uint32
	misstepShakeStatements uint32
	misstepShakeSlept      int
)

// misstepShakes lets other goroutines run now and then, so that what depends on
// the order in which they do shows. Some goroutines are behind all others for a while,
// then others are (Burckhardt, Kothari, Musuvathi and Nagarakatte: A Randomized
// Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010).
func misstepShakes() {
	g := misstepGoid()
	misstepShakeMu.Lock()
	x := misstepShakeRandom
	if x == 0 {
		x = misstepShake
	}
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	misstepShakeRandom = x
	misstepShakeStatements++
	h := misstepShake ^ uint32(g)*0x9e3779b1 ^ misstepShakeStatements/misstepShakeAWhile*0x85ebca6b
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	behind := h>>31 == 0
	pause := syscall.Timespec{}
	if misstepShake&misstepShakeSlow != 0 && misstepShakeSlept < misstepShakeSleeps {
		switch {
		case x>>8&31 == 0:
			// A debugged program is slow, so that what depends on time comes at another time.
			pause.Nsec = 2_000_000
			misstepShakeSlept += 20
		case behind && x>>8&1 == 0:
			pause.Nsec = 100_000
			misstepShakeSlept++
		}
	}
	misstepShakeMu.Unlock()
	if pause.Nsec > 0 {
		syscall.Nanosleep(&pause, nil)
	}
	yields := x >> 8 & 3
	if behind {
		yields += 8
	}
	for range yields {
		runtime.Gosched()
	}
}

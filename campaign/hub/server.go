package hub

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// DefaultAddress is where a hub listens if nothing else is said: on this machine alone.
const DefaultAddress = "127.0.0.1:4250"

// A Server is a hub that this process embeds.
type Server struct {
	opts *server.Options
	log  *logger
	stop chan struct{} // closed when it ends
	done sync.WaitGroup

	mu sync.Mutex
	ns *server.Server
	// Address is where it listens.
	Address string
	// Key is the file with the credentials; empty if none are asked for.
	Key         string
	credentials *Credentials
	lease       time.Duration
}

// Serve begins to serve a hub, whose state is in a folder. Beyond loopback connections are encrypted, and nobody comes
// in without the credentials, which are made in the folder. The lease is how long a worker that is not heard of has
// its jobs.
func Serve(listen, dir string, lease time.Duration, say func(string)) (*Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("the address %q: expected HOST:PORT: %w", listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("the address %q: expected a port after the colon, not %q", listen, port)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the hub's folder: %w", err)
	}
	opts := &server.Options{
		ServerName: serverName, Host: host, Port: number, NoSigs: true, MaxPayload: MaxMessage, MaxConn: 16 << 10,
		JetStream: true, StoreDir: filepath.Join(dir, "state"), SyncAlways: true, MaxPending: 256 << 20,
	}
	if lease < time.Second {
		return nil, fmt.Errorf("a lease of %s: expected at least a second", lease)
	}
	s := &Server{lease: lease, opts: opts, stop: make(chan struct{}), log: &logger{say: say, full: make(chan struct{}, 1)}}
	if !Loopback(host) {
		if s.credentials, s.Key, err = credentialsIn(dir); err != nil {
			return nil, err
		}
		public, err := s.credentials.public()
		if err != nil {
			return nil, err
		}
		if opts.TLSConfig, err = s.credentials.server(); err != nil {
			return nil, err
		}
		opts.Nkeys = []*server.NkeyUser{{Nkey: public}}
		opts.TLSTimeout, opts.AuthTimeout = 5, 5
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.Address = s.ns.Addr().String()
	opts.Port = s.ns.Addr().(*net.TCPAddr).Port
	s.done.Go(s.restart)
	s.done.Go(s.watchClock)
	return s, nil
}

// start starts the server itself.
func (s *Server) start() error {
	ns, err := server.NewServer(s.opts.Clone())
	if err != nil {
		return fmt.Errorf("making the hub: %w", err)
	}
	ns.SetLoggerV2(s.log, false, false, false)
	ns.Start()
	if !ns.ReadyForConnections(30 * time.Second) {
		ns.Shutdown()
		ns.WaitForShutdown()
		return fmt.Errorf("the hub did not begin to listen on %s:%d within 30s; is the port in use?", s.opts.Host, s.opts.Port)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ns = ns
	return nil
}

// room is how much has to be free on the disk before a server is started again that could not write, in bytes.
const room = 8 << 20

// restart starts the server again when it could not write and there is room on the disk once more: a stream that had
// such an error takes nothing until then.
func (s *Server) restart() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.log.full:
		}
		s.log.say("the disk is full, or cannot be written to; the hub waits until it can")
		for !writable(s.opts.StoreDir) {
			select {
			case <-s.stop:
				return
			case <-time.After(time.Second):
			}
		}
		s.shutdown()
		select { // what it said of the same
		case <-s.log.full:
		default:
		}
		if err := s.start(); err != nil {
			s.log.say(err.Error())
			s.log.Errorf(critical)
			select {
			case <-s.stop:
				return
			case <-time.After(time.Second):
			}
			continue
		}
		s.log.say("the disk can be written to again; the hub goes on")
	}
}

// writable reports whether there is room in a folder, by taking it.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, "room-")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, room))
	return errors.Join(err, f.Sync(), f.Close()) == nil
}

// Guard is what protects pages beside the hub as the hub is protected: a certificate, and a key that follows from the
// team's. Both are empty of a hub that asks for no credentials.
func (s *Server) Guard() (*tls.Config, string, error) {
	if s.credentials == nil {
		return nil, "", nil
	}
	config, err := s.credentials.server()
	sum := sha256.Sum256(append([]byte("the pages of "), s.credentials.Seed...))
	return config, hex.EncodeToString(sum[:16]), err
}

// Join connects to the hub from within.
func (s *Server) Join(ctx context.Context) (*Hub, error) {
	return join(ctx, s.Address, s.credentials, s.lease)
}

// Close ends the hub, and returns when it has.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	s.mu.Unlock()
	s.done.Wait()
	s.shutdown()
}

func (s *Server) shutdown() {
	s.mu.Lock()
	ns := s.ns
	s.mu.Unlock()
	ns.Shutdown()
	ns.WaitForShutdown()
}

// logger says what goes wrong in the server, and tells when it cannot write.
type logger struct {
	say  func(string)
	full chan struct{}

	mu   sync.Mutex
	last string
}

// critical is in what the server says when a write failed, after which a stream takes no more.
const critical = "Critical write error"

func (l *logger) Noticef(string, ...any)         {}
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
func (l *logger) Warnf(format string, v ...any)  { l.Errorf(format, v...) }
func (l *logger) Fatalf(format string, v ...any) { l.say(fmt.Sprintf(format, v...)) }

func (l *logger) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, critical) {
		select {
		case l.full <- struct{}{}:
		default:
		}
		return
	}
	l.mu.Lock()
	again := text == l.last
	l.last = text
	l.mu.Unlock()
	if !again {
		l.say(text)
	}
}

package hub

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// DefaultAddress is where a hub listens if nothing else is said: on this machine alone.
const DefaultAddress = "127.0.0.1:4250"

// A Server is a hub that this process embeds.
type Server struct {
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
	s := &Server{lease: lease}
	if !loopback(host) {
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
	if s.ns, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("making the hub: %w", err)
	}
	s.ns.SetLoggerV2(&logger{say}, false, false, false)
	s.ns.Start()
	if !s.ns.ReadyForConnections(30 * time.Second) {
		s.Close()
		return nil, fmt.Errorf("the hub did not begin to listen on %s within 30s; is the port in use?", listen)
	}
	s.Address = s.ns.Addr().String()
	return s, nil
}

// Join connects to the hub from within.
func (s *Server) Join(ctx context.Context) (*Hub, error) {
	return join(ctx, s.Address, s.credentials, s.lease)
}

// Close ends the hub, and returns when it has.
func (s *Server) Close() {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
}

// logger says what goes wrong in the server.
type logger struct{ say func(string) }

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}
func (l *logger) Warnf(format string, v ...any) {
	// Without a cluster anybody with the key may do all, which is as it should be.
	if text := fmt.Sprintf(format, v...); !strings.Contains(text, "Filestore") {
		l.say(text)
	}
}
func (l *logger) Errorf(format string, v ...any) { l.say(fmt.Sprintf(format, v...)) }
func (l *logger) Fatalf(format string, v ...any) { l.say(fmt.Sprintf(format, v...)) }

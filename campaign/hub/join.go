package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Join connects to a hub at HOST:PORT. Credentials are the file that misstep serve has written; it is empty for a hub
// on this machine that asks for none. A URL of nats:// or tls:// is that of a cluster, whose credentials, if it asks
// for any, are a file as the nats command has them.
func Join(ctx context.Context, address, credentials string) (*Hub, error) {
	if strings.Contains(address, "://") {
		var opts []nats.Option
		if credentials != "" {
			opts = append(opts, nats.UserCredentials(credentials))
		}
		return dial(ctx, address, opts, 0)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("joining %s: expected HOST:PORT, or the URL of a cluster: %w", address, err)
	}
	if credentials == "" {
		if !Loopback(host) {
			return nil, fmt.Errorf("joining %s: expected --key with the file team.key of the hub's folder", address)
		}
		return join(ctx, address, nil, 0)
	}
	c, err := ReadCredentials(credentials)
	if err != nil {
		return nil, err
	}
	return join(ctx, address, c, 0)
}

func join(ctx context.Context, address string, c *Credentials, lease time.Duration) (*Hub, error) {
	if c == nil {
		return dial(ctx, "nats://"+address, nil, lease)
	}
	config, err := c.client()
	if err != nil {
		return nil, err
	}
	public, err := c.public()
	if err != nil {
		return nil, err
	}
	return dial(ctx, "tls://"+address, []nats.Option{nats.Secure(config), nats.Nkey(public, c.sign)}, lease)
}

// dial connects for good: a connection that is lost is made again.
func dial(ctx context.Context, url string, opts []nats.Option, lease time.Duration) (*Hub, error) {
	host, _ := os.Hostname()
	opts = append(opts, nats.Name("misstep on "+host), nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond), nats.ReconnectJitter(200*time.Millisecond, time.Second),
		nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(10*time.Second), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})) // each request tells of its own
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		if errors.Is(err, nats.ErrNoServers) {
			err = errors.New("nobody listens there; start misstep serve first")
		}
		return nil, fmt.Errorf("joining the hub at %s: %w", url, err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(20*time.Second))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("joining the hub at %s: %w", url, err)
	}
	h := &Hub{nc: nc, js: js}
	h.hurried, h.hurry = context.WithCancel(context.Background())
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := h.open(ctx, lease); err != nil {
		nc.Close()
		return nil, fmt.Errorf("joining the hub at %s: %w", url, err)
	}
	return h, nil
}

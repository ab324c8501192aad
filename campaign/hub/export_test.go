package hub

import (
	"context"
	"crypto/tls"

	"github.com/nats-io/nats.go"
)

// Queued puts a text into the queue as an order, whatever it is.
func (h *Hub) Queued(ctx context.Context, subject string, text []byte) error {
	_, err := h.js.Publish(ctx, jobSubject+subject, text)
	return err
}

// Left is how many jobs the queue has.
func (h *Hub) Left(ctx context.Context) (uint64, error) {
	info, err := h.jobs.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.Msgs, nil
}

// Conn is the connection, for those who come in by other ways.
func (h *Hub) Conn() *nats.Conn { return h.nc }

// ParseOrder reports whether a text is an order.
func ParseOrder(text []byte) error {
	_, err := parseOrder(text)
	return err
}

// Dial connects with the team's key, and without minding whose the server is.
func (c *Credentials) Dial(url string, config *tls.Config) error {
	public, err := c.public()
	if err != nil {
		return err
	}
	nc, err := nats.Connect(url, nats.Secure(config), nats.Nkey(public, c.sign))
	if err == nil {
		nc.Close()
	}
	return err
}

// Stored are the names of the contents.
func (h *Hub) Stored(ctx context.Context) (names []string) {
	all, _ := h.contents.List(ctx)
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}

// SweepAll is Sweep of what is new as well.
func (h *Hub) SweepAll(ctx context.Context) (n int, size uint64, err error) { return h.sweep(ctx, 0) }

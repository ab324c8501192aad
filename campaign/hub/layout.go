package hub

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What the hub keeps, by the names of its streams and buckets.
const (
	jobsStream   = "misstep-jobs"
	eventsStream = "misstep-events"

	campaignsBucket = "misstep-campaigns" // what a campaign is, by its name
	notesBucket     = "misstep-notes"     // campaign.note
	outcomesBucket  = "misstep-outcomes"  // campaign.index.job
	answersBucket   = "misstep-answers"   // campaign.question: of checks
	attemptsBucket  = "misstep-attempts"  // campaign.job.attempt
	holdersBucket   = "misstep-holders"   // who submits a campaign
	workersBucket   = "misstep-workers"   // who is there
	contentsBucket  = "misstep-contents"  // programs, and values that are too large for a message, by their sums
)

// Subjects.
const (
	jobSubject   = "misstep.job."   // system.architecture.adapters.campaign
	eventSubject = "misstep.event." // campaign
	stopSubject  = "misstep.stop."  // campaign
)

const (
	// DefaultLease is how long a worker has a job after its last heartbeat, and a submitter its campaign.
	DefaultLease = 30 * time.Second
	// mostAttempts is how many workers a job may end.
	mostAttempts = 3
	// MaxMessage bounds a message, and inline what a value of a bucket holds by itself, in bytes.
	MaxMessage = 8 << 20
	inline     = 512 << 10
	// maxContent bounds a program and a large value, in bytes.
	maxContent = 256 << 20
)

// names are those of campaigns: they are parts of subjects and keys.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// A Hub is a connection to where submitters and workers meet.
type Hub struct {
	nc *nats.Conn
	js jetstream.JetStream
	// lease is how long a job is whose worker's before it is another's, without heartbeats, and beat how often
	// there is one.
	lease, beat time.Duration

	// hurried is done after Hurry.
	hurried context.Context
	hurry   context.CancelFunc

	jobs   jetstream.Stream
	events jetstream.Stream

	campaigns, notes, outcomes, answers, attempts, holders, workers jetstream.KeyValue
	contents                                                        jetstream.ObjectStore
	// stored are the names of contents that are known to be there, with since when.
	stored sync.Map
}

// leased notes the lease in the queue, so that all who join have the same.
const leased = "misstep-lease"

// open makes what is missing on the server. The lease is 0 for that of the hub.
func (h *Hub) open(ctx context.Context, lease time.Duration) (err error) {
	if lease == 0 {
		lease = DefaultLease
		if jobs, err := h.js.Stream(ctx, jobsStream); err == nil {
			if d, err := time.ParseDuration(jobs.CachedInfo().Config.Metadata[leased]); err == nil && d > 0 {
				lease = d
			}
		}
	}
	h.lease, h.beat = lease, lease/4
	h.jobs, err = h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{jobSubject + ">"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Duplicates: 2 * time.Minute, MaxMsgSize: MaxMessage, Metadata: map[string]string{leased: lease.String()},
	})
	if err != nil {
		return fmt.Errorf("making the queue on the hub: %w", err)
	}
	h.events, err = h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: eventsStream, Subjects: []string{eventSubject + "*"}, Storage: jetstream.FileStorage, Compression: jetstream.S2Compression,
		Duplicates: 2 * time.Minute, MaxMsgSize: MaxMessage,
	})
	if err != nil {
		return fmt.Errorf("making the stream of events on the hub: %w", err)
	}
	// What is only in memory is lost when the server is started again: workers tell of themselves anew, and a job's
	// attempts are counted from the beginning.
	for _, b := range []struct {
		kv  *jetstream.KeyValue
		cfg jetstream.KeyValueConfig
	}{
		{&h.campaigns, jetstream.KeyValueConfig{Bucket: campaignsBucket}},
		{&h.notes, jetstream.KeyValueConfig{Bucket: notesBucket}},
		{&h.outcomes, jetstream.KeyValueConfig{Bucket: outcomesBucket, Compression: true}},
		{&h.answers, jetstream.KeyValueConfig{Bucket: answersBucket, TTL: time.Hour}},
		{&h.attempts, jetstream.KeyValueConfig{Bucket: attemptsBucket, TTL: 24 * time.Hour, Storage: jetstream.MemoryStorage}},
		{&h.holders, jetstream.KeyValueConfig{Bucket: holdersBucket, TTL: lease}},
		{&h.workers, jetstream.KeyValueConfig{Bucket: workersBucket, TTL: lease, Storage: jetstream.MemoryStorage}},
	} {
		if *b.kv, err = h.js.CreateOrUpdateKeyValue(ctx, b.cfg); err != nil {
			return fmt.Errorf("making the bucket %s on the hub: %w", b.cfg.Bucket, err)
		}
	}
	h.contents, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: contentsBucket, Storage: jetstream.FileStorage})
	if err != nil {
		return fmt.Errorf("making the store of programs on the hub: %w", err)
	}
	return nil
}

// Close lets go of the hub.
func (h *Hub) Close() {
	h.hurry()
	h.nc.Close()
}

// consumer is the queue of jobs that need these adapters on a kind of machine.
func (h *Hub) consumer(ctx context.Context, system, architecture, needs string) (jetstream.Consumer, error) {
	c, err := h.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       strings.Join([]string{system, architecture, needs}, "-"),
		FilterSubject: jobSubject + strings.Join([]string{system, architecture, needs, "*"}, "."),
		AckPolicy:     jetstream.AckExplicitPolicy, AckWait: h.lease, MaxDeliver: -1, MaxAckPending: 1 << 20, MaxWaiting: 1 << 16,
	})
	if err != nil {
		return nil, fmt.Errorf("joining the queue of the hub: %w", err)
	}
	return c, nil
}

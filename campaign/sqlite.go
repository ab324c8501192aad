package campaign

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the database driver
)

// sqlite is a store in a folder: a database, and a lock that keeps a second hunt out
// while the first one runs, which the kernel drops with the process.
type sqlite struct {
	db   *sql.DB
	path string
	lock *os.File
}

// schema is carried out as a whole or not at all: whoever reads a campaign that was ended
// at its beginning finds all tables, or none.
const schema = `
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS outcome (
	key TEXT PRIMARY KEY,
	idx INTEGER NOT NULL,
	cut INTEGER NOT NULL,
	outcome TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS outcome_idx ON outcome (idx, key);
CREATE TABLE IF NOT EXISTS lease (key TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS event (n INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT;
COMMIT;
`

// storeVersion changes when the tables do, or what is in them. It is noted in them.
const (
	storeVersion = "2"
	notedVersion = "version"
)

// database is the name of the file in a campaign's folder.
const database = "campaign.db"

// OpenStore opens the store of a campaign in a folder, or makes it.
func OpenStore(ctx context.Context, dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the out folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "campaign.lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking the out folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("another hunt is at work in %s; name another folder with --out", dir)
	}
	s, err := openDB(ctx, filepath.Join(dir, database), schema)
	if err != nil {
		lock.Close()
		return nil, err
	}
	s.lock = lock
	if err := s.ready(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// ReadStore opens a campaign's store in a folder to read it.
func ReadStore(ctx context.Context, dir string) (Store, error) {
	path := filepath.Join(dir, database)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s holds no campaign: %w", dir, err)
	}
	s, err := openDB(ctx, path, "")
	if err != nil {
		return nil, err
	}
	if err := s.readable(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func openDB(ctx context.Context, path, schema string) (*sqlite, error) {
	// A path may have characters that mean something in a URI.
	escaped := (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", "file:"+escaped+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the campaign's database %s: %w", path, err)
	}
	return &sqlite{db: db, path: path}, nil
}

// ready is an error if the tables are those of another version. Whoever had a lease is gone
// with the lock.
func (s *sqlite) ready(ctx context.Context) error {
	var older int
	err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'meta'").Scan(&older)
	if err != nil {
		return s.reading(err)
	}
	if older > 0 {
		return fmt.Errorf("%s is a campaign that another version of misstep has begun; name another folder with --out", s.path)
	}
	version, err := s.Noted(ctx, notedVersion)
	if err != nil {
		return err
	}
	if version == "" {
		err = s.Note(ctx, notedVersion, storeVersion)
	} else if err = s.readable(ctx); err != nil {
		err = fmt.Errorf("%w; name another folder with --out", err)
	}
	if err != nil {
		return err
	}
	return s.tx(ctx, "DELETE FROM lease")
}

// readable is an error if the tables are those of another version. A database without any
// table is of a campaign that was ended before it had made them: an empty one.
func (s *sqlite) readable(ctx context.Context) error {
	var tables int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return s.reading(err)
	}
	if tables == 0 {
		if _, err := s.db.ExecContext(ctx, schema); err != nil {
			return s.writing(err)
		}
	}
	version, err := s.Noted(ctx, notedVersion)
	switch {
	case err != nil:
		return fmt.Errorf("%w; it may be of another version of misstep", err)
	case version == "":
		return nil // whoever made it was ended before anything was noted
	case version != storeVersion:
		return fmt.Errorf("%s is a campaign of version %q, written by another misstep; expected version %s", s.path, version, storeVersion)
	}
	return nil
}

// tx carries statements out, all or none.
func (s *sqlite) tx(ctx context.Context, statements ...string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.writing(err)
	}
	for _, q := range statements {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			tx.Rollback()
			return s.writing(err)
		}
	}
	if err := tx.Commit(); err != nil {
		return s.writing(err)
	}
	return nil
}

func (s *sqlite) writing(err error) error { return fmt.Errorf("writing %s: %w", s.path, err) }
func (s *sqlite) reading(err error) error { return fmt.Errorf("reading %s: %w", s.path, err) }

func (s *sqlite) Close() error {
	if s.lock != nil {
		defer s.lock.Close()
	}
	return s.db.Close()
}

func (s *sqlite) Note(ctx context.Context, name, text string) error {
	if _, err := s.db.ExecContext(ctx, "INSERT OR REPLACE INTO note VALUES (?, ?)", name, text); err != nil {
		return s.writing(err)
	}
	return nil
}

func (s *sqlite) Noted(ctx context.Context, name string) (string, error) {
	var v string
	err := s.db.QueryRowContext(ctx, "SELECT text FROM note WHERE name = ?", name).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", s.reading(err)
	}
	return v, nil
}

func (s *sqlite) Put(ctx context.Context, o *Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("writing an outcome: %w", err)
	}
	cut := o.Run != nil && o.Run.Cut
	_, err = s.db.ExecContext(ctx, `INSERT INTO outcome VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET cut = excluded.cut, outcome = excluded.outcome WHERE outcome.cut`, o.Key, o.Index, cut, string(text))
	if err != nil {
		return s.writing(err)
	}
	return nil
}

func (s *sqlite) Lease(ctx context.Context, key string, d time.Duration) (bool, error) {
	now := time.Now()
	res, err := s.db.ExecContext(ctx, `INSERT INTO lease VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET until = excluded.until WHERE lease.until < ?`, key, now.Add(d).UnixNano(), now.UnixNano())
	if err != nil {
		return false, s.writing(err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

func (s *sqlite) Release(ctx context.Context, key string) error {
	if _, err := s.db.ExecContext(ctx, "DELETE FROM lease WHERE key = ?", key); err != nil {
		return s.writing(err)
	}
	return nil
}

func (s *sqlite) Clear(ctx context.Context) error {
	return s.tx(ctx, "DELETE FROM outcome", "DELETE FROM lease", "DELETE FROM event")
}

func (s *sqlite) Append(ctx context.Context, e Event) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	if _, err := s.db.ExecContext(ctx, "INSERT INTO event (event) VALUES (?)", string(text)); err != nil {
		return s.writing(err)
	}
	return nil
}

func (s *sqlite) Outcomes(ctx context.Context) iter.Seq2[*Outcome, error] {
	return rows[*Outcome](ctx, s, "SELECT outcome FROM outcome ORDER BY idx, key")
}

func (s *sqlite) Events(ctx context.Context) iter.Seq2[Event, error] {
	return rows[Event](ctx, s, "SELECT event FROM event ORDER BY n")
}

// rows reads a query whose rows are JSON.
func rows[T any](ctx context.Context, s *sqlite, query string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := s.db.QueryContext(ctx, query)
		if err != nil {
			yield(none, s.reading(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			var v T
			if err := rows.Scan(&text); err != nil {
				yield(none, s.reading(err))
				return
			}
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				yield(none, s.reading(err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, s.reading(err))
		}
	}
}

package campaign

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the database driver

	"misstep/oracle"
)

// store is a campaign's database. Its lock keeps a second hunt out of the
// folder while the first one runs; the kernel drops it with the process.
type store struct {
	db   *sql.DB
	path string
	lock *os.File
}

const schema = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS run (
	idx INTEGER PRIMARY KEY,
	program TEXT NOT NULL,
	result TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS finding (
	run INTEGER NOT NULL REFERENCES run(idx),
	n INTEGER NOT NULL,
	class TEXT NOT NULL,
	finding TEXT NOT NULL,
	script TEXT NOT NULL,
	PRIMARY KEY (run, n)
) STRICT;
CREATE INDEX IF NOT EXISTS finding_class ON finding (class, run, n);
CREATE TABLE IF NOT EXISTS unfit (program TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT;
`

// storeVersion changes when the tables do.
const storeVersion = "1"

// openStore opens or makes the database of the campaign with these settings.
// A finished campaign of the same settings is begun anew.
func openStore(ctx context.Context, dir string, settings []setting) (*store, error) {
	key, err := json.Marshal(asked(settings))
	if err != nil {
		return nil, fmt.Errorf("writing the campaign's settings: %w", err)
	}
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
	s, err := openDB(ctx, filepath.Join(dir, "campaign.db"))
	if err != nil {
		lock.Close()
		return nil, err
	}
	s.lock = lock
	was, err := s.meta(ctx, "key")
	if err != nil {
		s.close()
		return nil, err
	}
	done, err := s.meta(ctx, "complete")
	if err != nil {
		s.close()
		return nil, err
	}
	switch {
	case was == "":
		return s, s.begin(ctx, string(key))
	case was != string(key):
		s.close()
		return nil, fmt.Errorf("%s holds another campaign (%s); name another folder with --out", dir, unlike(was, settings))
	case done != "":
		return s, s.begin(ctx, string(key))
	}
	return s, nil
}

// asked are settings by their names.
func asked(settings []setting) map[string]string {
	m := map[string]string{}
	for _, s := range settings {
		m[s.name] = s.value
	}
	return m
}

// unlike says which settings are not those that a campaign was begun with.
func unlike(was string, settings []setting) string {
	then := map[string]string{}
	if json.Unmarshal([]byte(was), &then) != nil {
		return "begun by another version of misstep"
	}
	var differ []string
	for _, s := range settings {
		if then[s.name] != s.value {
			differ = append(differ, fmt.Sprintf("its %s: %s, not %s", s.name, orNone(then[s.name]), orNone(s.value)))
		}
	}
	return strings.Join(differ, "; ")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func openDB(ctx context.Context, path string) (*store, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the campaign's database %s: %w", path, err)
	}
	return &store{db: db, path: path}, nil // locked by openStore
}

func (s *store) close() error {
	defer s.lock.Close()
	return s.db.Close()
}

// begin empties the database for a new campaign.
func (s *store) begin(ctx context.Context, key string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		for _, q := range []string{"DELETE FROM finding", "DELETE FROM run", "DELETE FROM unfit", "DELETE FROM meta WHERE key <> 'scripts'"} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		for k, v := range map[string]string{"key": key, "version": storeVersion} {
			if _, err := tx.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?)", k, v); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *store) tx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	return nil
}

func (s *store) meta(ctx context.Context, key string) (string, error) {
	var v string
	err := s.db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", s.path, err)
	}
	return v, nil
}

// complete notes that the campaign has come to its end.
func (s *store) complete(ctx context.Context) error {
	return s.setMeta(ctx, "complete", time.Now().UTC().Format(time.RFC3339))
}

func (s *store) setMeta(ctx context.Context, key, value string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)
		return err
	})
}

// spent is how long the campaign has been at work, until it was interrupted last.
func (s *store) spent(ctx context.Context) (time.Duration, error) {
	text, err := s.meta(ctx, "spent")
	if err != nil || text == "" {
		return 0, err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("reading %s: the time spent: %w", s.path, err)
	}
	return d, nil
}

// packed is a finding with its script.
type packed struct {
	finding *oracle.Finding
	script  []byte
}

// save writes a run with all that it found, and the time that the campaign has taken by
// then, at once or not at all.
func (s *store) save(ctx context.Context, r *Run, found []packed, spent time.Duration) error {
	result, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO run VALUES (?, ?, ?)", r.Index, r.Program, string(result)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES ('spent', ?)", spent.String()); err != nil {
			return err
		}
		for n, f := range found {
			text, err := json.Marshal(f.finding)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO finding VALUES (?, ?, ?, ?, ?)", r.Index, n, f.finding.Class, string(text), string(f.script)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *store) saveUnfit(ctx context.Context, u Unfit) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO unfit VALUES (?, ?)", u.Program, u.Reason)
		return err
	})
}

// done lists the runs that are finished.
func (s *store) done(ctx context.Context) (map[int]bool, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT idx FROM run")
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer rows.Close()
	done := map[int]bool{}
	for rows.Next() {
		var i int
		if err := rows.Scan(&i); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.path, err)
		}
		done[i] = true
	}
	return done, rows.Err()
}

func (s *store) unfit(ctx context.Context) ([]Unfit, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT program, reason FROM unfit ORDER BY program")
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer rows.Close()
	var us []Unfit
	for rows.Next() {
		var u Unfit
		if err := rows.Scan(&u.Program, &u.Reason); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.path, err)
		}
		us = append(us, u)
	}
	return us, rows.Err()
}

// summary adds all runs up.
func (s *store) summary(ctx context.Context) (*Summary, error) {
	sum := &Summary{Depths: map[int]int{}, Needed: map[int]int{}}
	rows, err := s.db.QueryContext(ctx, "SELECT result FROM run ORDER BY idx")
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer rows.Close()
	programs := map[string]bool{}
	for rows.Next() {
		var text string
		var r Run
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.path, err)
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("reading %s: a run: %w", s.path, err)
		}
		programs[r.Program] = true
		sum.Runs++
		sum.Sessions += r.Sessions
		sum.Actions += r.Actions
		sum.Pauses += r.Pauses
		sum.Tests += r.Tests
		sum.Depths[r.Depth]++
		sum.Defects += len(r.Defects)
		if r.Unstable != "" {
			sum.Unstable++
		}
		if r.Given != "" {
			sum.Given++
		}
		sum.Tally.Merge(&r.Tally)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	sum.Programs = len(programs)
	us, err := s.unfit(ctx)
	if err != nil {
		return nil, err
	}
	sum.Unfit = len(us)
	return sum, s.needed(ctx, sum.Needed)
}

// needed counts the findings of relations by the number of transformations that
// stand on top of each other in them (Tolksdorf et al., figure 8).
func (s *store) needed(ctx context.Context, counts map[int]int) error {
	rows, err := s.db.QueryContext(ctx, `SELECT coalesce(json_extract(finding, '$.iteration'), 0), count(*) FROM finding GROUP BY 1`)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var n, count int
		if err := rows.Scan(&n, &count); err != nil {
			return fmt.Errorf("reading %s: %w", s.path, err)
		}
		if n > 0 {
			counts[n] = count
		}
	}
	return rows.Err()
}

// example is the finding of a class with the shortest script, as that is the
// easiest to read.
type example struct {
	class   string
	count   int
	rank    int // among those of its class
	finding *oracle.Finding
	script  string
}

// classes lists the classes, each with its example, and up to a sample of so many
// further ones from all classes in turn (DBDB, section 3.4).
func (s *store) classes(ctx context.Context, sample int) ([]example, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT class, count, rank, finding, script FROM (SELECT *, row_number() OVER (ORDER BY rank, class) AS turn FROM (
			SELECT class, finding, script,
				count(*) OVER (PARTITION BY class) AS count,
				row_number() OVER (PARTITION BY class ORDER BY length(script), run, n) AS rank
			FROM finding
		)) WHERE rank = 1 OR turn <= ? ORDER BY class, rank`, sample)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.path, err)
	}
	defer rows.Close()
	var es []example
	for rows.Next() {
		var e example
		var text string
		if err := rows.Scan(&e.class, &e.count, &e.rank, &text, &e.script); err != nil {
			return nil, fmt.Errorf("reading %s: %w", s.path, err)
		}
		if err := json.Unmarshal([]byte(text), &e.finding); err != nil {
			return nil, fmt.Errorf("reading %s: a finding: %w", s.path, err)
		}
		es = append(es, e)
	}
	return es, rows.Err()
}

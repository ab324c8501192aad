package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"misstep/triage/issue"
)

// A study is the file beside a class's script that has what was found out of it. Of is the sum of the script: a study of
// another one says nothing of this.
type study struct {
	Of string `json:"of"`
	issue.Study
}

// studyFile is the file of a class's study; empty of a class without a script, and of a campaign that lies in no folder.
func (c *Campaign) studyFile(x *Class) string {
	if c.Dir == "" || x.Script == nil || x.ClassCount.Script == "" {
		return ""
	}
	return filepath.Join(c.Dir, strings.TrimSuffix(filepath.Base(x.ClassCount.Script), ".txtar")+".study.json")
}

func (x *Class) sum() string {
	sum := sha256.Sum256(x.Script.Format())
	return hex.EncodeToString(sum[:])
}

// readStudy reads what was found out of a class, if that was written down.
func (c *Campaign) readStudy(x *Class) error {
	file := c.studyFile(x)
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var s study
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return fmt.Errorf("reading what is known of %s: %s: %w", x.Class, file, err)
	}
	if s.Of == x.sum() {
		x.Study = &s.Study
	}
	return nil
}

// Keep writes down what was found out of a class, beside its script, where reports of the campaign find it.
func (c *Campaign) Keep(x *Class, s *issue.Study) error {
	file := c.studyFile(x)
	if file == "" {
		return fmt.Errorf("%s has no script in a folder", x.Class)
	}
	text, err := json.MarshalIndent(study{x.sum(), *s}, "", "\t")
	if err == nil {
		part := file + ".part"
		if err = os.WriteFile(part, append(text, '\n'), 0o666); err == nil {
			err = os.Rename(part, file)
		}
	}
	if err != nil {
		return fmt.Errorf("writing down what is known of %s: %w", x.Class, err)
	}
	x.Study = s
	return nil
}

// ToStudy are the classes to find out more of: of each cause that is not known the first one that has a script, those
// first of which most was found.
func (c *Campaign) ToStudy() []*Class {
	var all []*Class
	for i := range c.Causes {
		if c.Causes[i].Known() {
			continue
		}
		for _, x := range c.Causes[i].Classes {
			if c.studyFile(x) != "" && x.Known == "" {
				all = append(all, x)
				break
			}
		}
	}
	return all
}

// Reads a log of Countersign with nothing of Countersign: Go's own packages for signed notes and transparency logs, and
// transparency-dev's for cosignatures.
// From standard input one JSON document (see question); prints what was verified, exits with 1 and why it was not.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	cosignature "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Vkey       string  `json:"vkey"`
	Checkpoint string  `json:"checkpoint"`
	Events     []event `json:"events"`
	// An older checkpoint, and the proof that the other one goes on from it.
	Since       string   `json:"since"`
	Consistency []string `json:"consistency"`
	// The key of a witness that shall have cosigned the checkpoint.
	Witness string `json:"witness"`
}

type event struct {
	Index int64    `json:"index"`
	Event string   `json:"event"`
	Proof []string `json:"proof"`
}

func main() {
	verified, err := verify()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(verified)
}

func verify() (string, error) {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return "", err
	}
	verifier, err := note.NewVerifier(asked.Vkey)
	if err != nil {
		return "", err
	}
	tree, err := open(asked.Checkpoint, verifier)
	if err != nil {
		return "", err
	}
	if asked.Witness != "" {
		if err := witnessed(asked.Checkpoint, asked.Witness); err != nil {
			return "", err
		}
	}
	for _, one := range asked.Events {
		proof, err := hashes(one.Proof)
		if err != nil {
			return "", err
		}
		leaf := tlog.RecordHash([]byte(one.Event))
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, one.Index, leaf); err != nil {
			return "", fmt.Errorf("event %d: %w", one.Index, err)
		}
	}
	if asked.Since != "" {
		older, err := open(asked.Since, verifier)
		if err != nil {
			return "", err
		}
		proof, err := hashes(asked.Consistency)
		if err != nil {
			return "", err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash); err != nil {
			return "", fmt.Errorf("consistency: %w", err)
		}
	}
	return fmt.Sprintf("%d events of %d", len(asked.Events), tree.N), nil
}

func witnessed(text, vkey string) error {
	witness, err := cosignature.NewVerifierForCosignatureV1(vkey)
	if err != nil {
		return err
	}
	if _, err := note.Open([]byte(text), note.VerifierList(witness)); err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	return nil
}

func open(text string, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

func hashes(texts []string) ([]tlog.Hash, error) {
	all := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		bytes, err := base64.StdEncoding.DecodeString(text)
		// Go's decoder passes over line ends and the last bits.
		isExact := base64.StdEncoding.EncodeToString(bytes) == text
		if err != nil || len(bytes) != tlog.HashSize || !isExact {
			return nil, fmt.Errorf("%q is no hash", text)
		}
		copy(all[i][:], bytes)
	}
	return all, nil
}

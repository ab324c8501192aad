package hub

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nkeys"
)

// Credentials are what lets somebody in: the key of the team, as an nkey (https://docs.nats.io, "NKeys"), and the
// certificate by which the hub is known. Both are in one file, in the form of PEM.
type Credentials struct {
	Seed        []byte
	Certificate []byte // DER
	// private is the certificate's own key, which the hub alone has.
	private []byte
}

// The blocks of a file of credentials.
const (
	certificateBlock = "CERTIFICATE"
	privateBlock     = "PRIVATE KEY"
	seedBlock        = "MISSTEP TEAM KEY"
)

// serverName is in the certificate: who dials asks for it, whatever the address.
const serverName = "misstep-hub"

// lasting is how long a certificate holds.
const lasting = 10 * 365 * 24 * time.Hour

// newCredentials makes a key and a certificate.
func newCredentials() (*Credentials, error) {
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("making a team's key: %w", err)
	}
	c := &Credentials{}
	if c.Seed, err = user.Seed(); err != nil {
		return nil, fmt.Errorf("making a team's key: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the hub's key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("making the hub's certificate: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: serverName}, DNSNames: []string{serverName},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(lasting), // a clock may be off
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	if c.Certificate, err = x509.CreateCertificate(rand.Reader, template, template, key.Public(), key); err != nil {
		return nil, fmt.Errorf("making the hub's certificate: %w", err)
	}
	if c.private, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		return nil, fmt.Errorf("making the hub's key: %w", err)
	}
	return c, nil
}

// format is the credentials as a file; with the hub's own key it is not for others.
func (c *Credentials) format(private bool) []byte {
	var b bytes.Buffer
	blocks := []pem.Block{{Type: certificateBlock, Bytes: c.Certificate}, {Type: seedBlock, Bytes: c.Seed}}
	if private {
		blocks = append(blocks, pem.Block{Type: privateBlock, Bytes: c.private})
	}
	for i := range blocks {
		pem.Encode(&b, &blocks[i])
	}
	return b.Bytes()
}

// ParseCredentials reads a file of credentials.
func ParseCredentials(text []byte) (*Credentials, error) {
	c := &Credentials{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case certificateBlock:
			c.Certificate = block.Bytes
		case seedBlock:
			c.Seed = block.Bytes
		case privateBlock:
			c.private = block.Bytes
		}
	}
	if len(c.Certificate) == 0 || len(c.Seed) == 0 {
		return nil, errors.New("expected a certificate and a team's key, as misstep serve writes them")
	}
	if _, err := x509.ParseCertificate(c.Certificate); err != nil {
		return nil, fmt.Errorf("the hub's certificate: %w", err)
	}
	if _, err := nkeys.FromSeed(c.Seed); err != nil {
		return nil, fmt.Errorf("the team's key: %w", err)
	}
	return c, nil
}

// ReadCredentials reads a file of credentials.
func ReadCredentials(file string) (*Credentials, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the team's key: %w", err)
	}
	c, err := ParseCredentials(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Files of a hub's folder.
const (
	hubFile  = "hub.key"
	teamFile = "team.key"
)

// credentialsIn are those of a hub's folder, made if there are none. Team is the file for who is to come in.
func credentialsIn(dir string) (c *Credentials, team string, err error) {
	team = filepath.Join(dir, teamFile)
	own := filepath.Join(dir, hubFile)
	if _, err := os.Stat(own); err == nil {
		c, err = ReadCredentials(own)
		if err == nil && len(c.private) == 0 {
			err = fmt.Errorf("%s: expected the hub's own key in it", own)
		}
		return c, team, err
	}
	if c, err = newCredentials(); err != nil {
		return nil, "", err
	}
	for _, f := range []struct {
		name    string
		private bool
	}{{team, false}, {own, true}} { // the hub's last: with it they are complete
		if err := os.WriteFile(f.name, c.format(f.private), 0o600); err != nil {
			return nil, "", fmt.Errorf("writing the hub's keys: %w", err)
		}
	}
	return c, team, nil
}

// server is the hub's side of an encrypted connection.
func (c *Credentials) server() (*tls.Config, error) {
	key, err := x509.ParsePKCS8PrivateKey(c.private)
	if err != nil {
		return nil, fmt.Errorf("the hub's own key: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{c.Certificate}, PrivateKey: key}}}, nil
}

// client is the other side's: it knows this hub alone.
func (c *Credentials) client() (*tls.Config, error) {
	cert, err := x509.ParseCertificate(c.Certificate)
	if err != nil {
		return nil, fmt.Errorf("the hub's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: pool, ServerName: serverName}, nil
}

// public is the team's key as the hub knows it.
func (c *Credentials) public() (string, error) {
	pair, err := nkeys.FromSeed(c.Seed)
	if err != nil {
		return "", fmt.Errorf("the team's key: %w", err)
	}
	return pair.PublicKey()
}

// sign answers the hub's question for the key.
func (c *Credentials) sign(nonce []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed(c.Seed)
	if err != nil {
		return nil, fmt.Errorf("the team's key: %w", err)
	}
	return pair.Sign(nonce)
}

// Loopback reports whether an address is this machine's own alone.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

package harness

// A conversion webhook for tests.

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"sync/atomic"
	"testing"
	"time"
)

// Converter is a conversion webhook for a kind with two versions: spec.one in v1 is spec.two in v2, and spec.of is
// lost. It records each conversion in an annotation of the object.
type Converter struct {
	URL string
	// Authority is the certificate of the CA that has signed the webhook's certificate, in PEM.
	Authority []byte
	// Fails makes the webhook answer with a failure.
	Fails atomic.Bool
}

// Conversions is the annotation with the conversions of an object: "v1>v2 v2>v1".
const Conversions = "example.org/conversions"

func StartConverter(t *testing.T) *Converter {
	t.Helper()
	converter := &Converter{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(converter.serve))
	certificate, authority := certificates(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	converter.URL, converter.Authority = server.URL, authority
	return converter
}

type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID               string           `json:"uid"`
	DesiredAPIVersion string           `json:"desiredAPIVersion"`
	Objects           []map[string]any `json:"objects"`
}

type response struct {
	UID              string           `json:"uid"`
	Result           map[string]any   `json:"result"`
	ConvertedObjects []map[string]any `json:"convertedObjects"`
}

func (c *Converter) serve(w http.ResponseWriter, r *http.Request) {
	var asked review
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Request == nil {
		http.Error(w, "no ConversionReview", http.StatusBadRequest)
		return
	}
	answer := &response{UID: asked.Request.UID, Result: map[string]any{"status": "Success"}}
	if c.Fails.Load() {
		answer.Result = map[string]any{"status": "Failure", "message": "out of order"}
	} else {
		for _, object := range asked.Request.Objects {
			answer.ConvertedObjects = append(answer.ConvertedObjects, convert(object, asked.Request.DesiredAPIVersion))
		}
	}
	asked.Request, asked.Response = nil, answer
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(asked) // fails if the client has gone
}

// convert changes an object to another version.
func convert(object map[string]any, desired string) map[string]any {
	from, to := path.Base(object["apiVersion"].(string)), path.Base(desired)
	object["apiVersion"] = desired
	if spec, ok := object["spec"].(map[string]any); ok {
		delete(spec, "of")
		names := map[string]string{"v1": "one", "v2": "two"}
		if value, ok := spec[names[from]]; ok {
			delete(spec, names[from])
			spec[names[to]] = value
		}
	}
	metadata := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	before, _ := annotations[Conversions].(string)
	annotations[Conversions] = before + from + ">" + to + " "
	return object
}

// certificates returns a certificate for this machine, and the certificate of the CA that has signed it, in PEM.
func certificates(t *testing.T) (tls.Certificate, []byte) {
	t.Helper()
	authorityKey, key := newKey(t), newKey(t)
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	signed := sign(t, authority, authority, &authorityKey.PublicKey, authorityKey)
	own := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	certificate := tls.Certificate{Certificate: [][]byte{sign(t, own, authority, &key.PublicKey, authorityKey)}, PrivateKey: key}
	var text bytes.Buffer
	if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: signed}); err != nil {
		t.Fatal(err)
	}
	return certificate, text.Bytes()
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, certificate, by *x509.Certificate, key *ecdsa.PublicKey, with *ecdsa.PrivateKey) []byte {
	t.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, certificate, by, key, with)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// go test receiver.go receiver_test.go
package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Families, Secret, Body string
			Reason                       *string
			Now, ToleranceSeconds        int64
			Headers                      map[string]string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	reasons := map[error]string{errMissing: "headers", errSignature: "signature", errTimestamp: "timestamp"}
	for _, vector := range file.Vectors {
		if vector.Families == "standard" {
			continue
		}
		headers := http.Header{}
		for name, value := range vector.Headers {
			headers.Set(name, value)
		}
		body, err := base64.StdEncoding.DecodeString(vector.Body)
		if err != nil {
			t.Fatal(err)
		}
		tolerance := time.Duration(vector.ToleranceSeconds) * time.Second
		found := reasons[verify(body, headers, vector.Secret, tolerance, time.Unix(vector.Now, 0))]
		if expected := vector.Reason; expected == nil && found != "" || expected != nil && found != *expected {
			t.Errorf("%s: %q", vector.Name, found)
		}
	}
}

// Receives Overheard's webhooks with the standard library: WEBHOOK_SECRET=whsec_... go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

var (
	errMissing   = errors.New("the delivery is not signed")
	errSignature = errors.New("the signature does not match")
	errTimestamp = errors.New("the timestamp is too far from now")
)

// verify says whether a request is a delivery to act upon.
func verify(body []byte, headers http.Header, secret string, tolerance time.Duration, now time.Time) error {
	timestamp, signature := headers.Get("X-Service-Timestamp"), headers.Get("X-Service-Signature")
	if headers.Values("X-Service-Signature") == nil || timestamp == "" {
		return errMissing
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	if !hmac.Equal([]byte(signature), []byte("v1="+hex.EncodeToString(mac.Sum(nil)))) {
		return errSignature
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errTimestamp
	}
	return nil
}

// handled holds the tasks of the last days, in your database: the same task may come again.
var handled sync.Map

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := verify(body, request.Header, os.Getenv("WEBHOOK_SECRET"), 5*time.Minute, time.Now()); err != nil {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var read struct {
		Task struct{ ID, Status string }
	}
	if err := json.Unmarshal(body, &read); err != nil {
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	if _, again := handled.LoadOrStore(read.Task.ID, true); !again {
		fmt.Println(read.Task.ID, read.Task.Status) // Write it down here; do the work later.
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/", receive)
	log.Fatal(http.ListenAndServe(":9000", nil))
}

// Receives callbacks; see ../README.md. The standard library is enough.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 // seconds
	maxBody   = 1_000_000
)

type order struct {
	ID     string `json:"order_id"`
	Status string `json:"status"`
}

type receiver struct {
	key     []byte
	lock    sync.Mutex
	handled map[string]bool // a table with a unique column, written in the transaction of handle
}

func handle(paid order) { fmt.Printf("order %s is %s\n", paid.ID, paid.Status) }

func (r *receiver) isAuthentic(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	at, err := strconv.ParseUint(timestamp, 10, 40)
	if age := time.Now().Unix() - int64(at); id == "" || err != nil || age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, presented := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(presented), []byte(expected)) {
			return true
		}
	}
	return false
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	var paid order
	if err != nil || req.Method != http.MethodPost || !r.isAuthentic(req.Header, body) || json.Unmarshal(body, &paid) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if id := req.Header.Get("webhook-id"); !r.handled[id] {
		handle(paid)
		r.handled[id] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("PORT")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("CALLBACK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("CALLBACK_SECRET is whsec_ and base64")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listens on %s\n", port)
	server := &http.Server{Handler: &receiver{key: key, handled: map[string]bool{}}, ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

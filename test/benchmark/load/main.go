// Command load repeats one request over HTTP/1.1 and TLS, at the maximum rate or at a given rate, and prints the durations. It is lean, so that one
// of its cores can saturate a server core.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

var (
	target      = flag.String("url", "", "what to ask, with its query")
	method      = flag.String("method", "POST", "HTTP method")
	bodyFile    = flag.String("body", "", "file with the body of the request")
	certFile    = flag.String("cert", "", "file with a client certificate, PEM; none when empty")
	keyFile     = flag.String("key", "", "file with its key, PEM")
	status      = flag.Int("status", 200, "the status of a right answer")
	contains    = flag.String("contains", "", "what a right answer contains")
	connections = flag.Int("connections", 25, "how many connections there are")
	seconds     = flag.Float64("seconds", 5, "how long requests are sent")
	rate        = flag.Float64("rate", 0, "requests a second over all connections; as many as are answered when 0")
	phase       = flag.Float64("phase", 0, "where in an interval of the clock requests are sent, as a part of the interval; needs a rate")
)

// report is the output. Times are in milliseconds from the scheduled time of a request, not from its sending.
type report struct {
	Answered   int     `json:"answered"`
	Seconds    float64 `json:"seconds"`
	MeanMs     float64 `json:"meanMs"`
	P50Ms      float64 `json:"p50Ms"`
	P99Ms      float64 `json:"p99Ms"`
	CPUSeconds float64 `json:"cpuSeconds"`
}

func main() {
	flag.Parse()
	result, err := run()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (report, error) {
	address, err := url.Parse(*target)
	if err != nil {
		return report{}, err
	}
	body, err := os.ReadFile(*bodyFile)
	if err != nil {
		return report{}, err
	}
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
	if *certFile != "" {
		pair, err := tls.LoadX509KeyPair(*certFile, *keyFile)
		if err != nil {
			return report{}, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", *method, address.RequestURI(), address.Host, len(body))
	return send(address.Host, config, append(request, body...))
}

// send uses all connections until the end time, and returns the report.
func send(host string, config *tls.Config, request []byte) (report, error) {
	start := time.Now()
	end := start.Add(time.Duration(*seconds * float64(time.Second)))
	took := make([][]time.Duration, *connections)
	errs := make([]error, *connections)
	var all sync.WaitGroup
	for number := range *connections {
		all.Go(func() {
			took[number], errs[number] = converse(host, config, request, turns(number, start, end))
		})
	}
	all.Wait()
	elapsed := time.Since(start).Seconds()
	for _, err := range errs {
		if err != nil {
			return report{}, err
		}
	}
	return sum(slices.Concat(took...), elapsed)
}

// turns returns the sending times of a connection, with its share of the rate.
func turns(number int, start, end time.Time) func() (time.Time, bool) {
	if *rate == 0 {
		return func() (time.Time, bool) {
			now := time.Now()
			return now, now.Before(end)
		}
	}
	step := time.Duration(float64(time.Second) / *rate)
	// The clock sets the intervals, so that clients with the same rate and different phases never send at the same time.
	first := start.Truncate(step).Add(step + time.Duration(*phase*float64(step)))
	next := first.Add(time.Duration(number) * step)
	return func() (time.Time, bool) {
		due := next
		next = next.Add(time.Duration(*connections) * step)
		time.Sleep(time.Until(due))
		return due, due.Before(end)
	}
}

// converse sends the request at each time. It reconnects when the server closes the connection.
func converse(host string, config *tls.Config, request []byte, turn func() (time.Time, bool)) ([]time.Duration, error) {
	var took []time.Duration
	var connection *tls.Conn
	var reader *bufio.Reader
	for {
		due, more := turn()
		if !more {
			break
		}
		if connection == nil {
			opened, err := tls.Dial("tcp", host, config)
			if err != nil {
				return nil, err
			}
			connection, reader = opened, bufio.NewReader(opened)
		}
		if _, err := connection.Write(request); err != nil {
			return nil, err
		}
		closes, err := answer(reader)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(due))
		if closes {
			connection.Close()
			connection = nil
		}
	}
	if connection != nil {
		connection.Close()
	}
	return took, nil
}

// answer reads one answer and returns whether the server closes the connection. It fails for an incorrect answer.
func answer(reader *bufio.Reader) (bool, error) {
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return false, err
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return false, err
	}
	if response.StatusCode != *status || !bytes.Contains(text, []byte(*contains)) {
		return false, fmt.Errorf("answered %d: %.500s", response.StatusCode, text)
	}
	return response.Close, nil
}

func sum(took []time.Duration, elapsed float64) (report, error) {
	if len(took) == 0 {
		return report{}, fmt.Errorf("no request was sent within %v s", *seconds)
	}
	slices.Sort(took)
	var total time.Duration
	for _, one := range took {
		total += one
	}
	milliseconds := func(duration time.Duration) float64 { return float64(duration) / float64(time.Millisecond) }
	at := func(share float64) float64 { return milliseconds(took[int(share*float64(len(took)-1))]) }
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return report{}, err
	}
	spent := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return report{
		Answered:   len(took),
		Seconds:    elapsed,
		MeanMs:     milliseconds(total) / float64(len(took)),
		P50Ms:      at(0.5),
		P99Ms:      at(0.99),
		CPUSeconds: spent.Seconds(),
	}, nil
}

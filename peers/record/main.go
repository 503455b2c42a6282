// Command record sends the requests of recordings to a real API server and writes down what it answers.
//
//	record FILE...
//
// A recording is its own scenario: the requests of FILE are sent in order to a server of its own, and FILE is written again with the new
// answers. To ask something new, add a record with a name and a request, and run this. A placeholder in a request stands for what an
// earlier answer of the same file shows, so every write must be a record.
package main

import (
	"flag"
	"fmt"
	"os"
)

var program = flag.String("server", inProject("target", "peers", "apiserver"), "the API server")

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "record: no recording is named. Example: record ../fixtures/wire/get.json")
		os.Exit(2)
	}
	for _, file := range flag.Args() {
		if err := record(file); err != nil {
			fmt.Fprintf(os.Stderr, "record: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

// record makes one recording again.
func record(file string) error {
	records, err := read(file)
	if err != nil {
		return err
	}
	server, err := start(*program, gates(records))
	if err != nil {
		return err
	}
	defer server.stop()
	if err := server.prepare(); err != nil {
		return err
	}
	known := newBindings()
	made := make([]Record, len(records))
	for i, record := range records {
		if made[i], err = known.again(server, record); err != nil {
			return fmt.Errorf("%s: %w", record.Name, err)
		}
	}
	normalise(made)
	if err := write(file, made); err != nil {
		return err
	}
	fmt.Printf("%s: %d records\n", file, len(made))
	return nil
}

// again makes one record again, and binds the placeholders of its former answer to what is answered now.
func (b *bindings) again(server *server, record Record) (Record, error) {
	if record.Request == nil {
		return record, server.do(record.Server)
	}
	former := record.Response
	request := b.request(*record.Request)
	record.Request = &request
	response, err := server.ask(record)
	if err != nil {
		return record, err
	}
	b.saw(response)
	record.Response = response
	if former != nil {
		b.bind(former, response)
	}
	return record, nil
}

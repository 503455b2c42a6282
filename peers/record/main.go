// Command record sends the requests of recordings to a real API server again, and writes the new answers into the
// recordings.
//
//	record FILE...
//
// A recording is its own script. record starts a new server for each FILE, sends the requests of FILE in order, and
// writes FILE again with the new answers. To record another request, add a record with a name and a request. A
// placeholder in a request, such as <rv3>, stands for a value in an earlier answer of the same file. The file must
// therefore hold every write: a write outside it would not happen on the new server. A record without a request is an
// action on the server, such as a restart.
package main

import (
	"flag"
	"fmt"
	"os"
)

var program = flag.String("server", inProject("target", "peers", "apiserver"), "the path of the API server")

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

// again sends one record's request again, and binds the placeholders in the old answer to the values in the new one.
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

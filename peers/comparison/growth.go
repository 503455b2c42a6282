package main

// The tables in RESULTS.md that show how time and memory grow with the number of objects.

import (
	"bytes"
	"fmt"
	"slices"
)

// point is a line of a table: the table, and the number of objects.
type point struct {
	table   *table
	objects int
}

// table shows how the cost of one kind of work grows with the number of objects.
type table struct {
	title string
	// columns are the figures shown for each contender.
	columns    []column
	contenders []string
}

// column is a measured part of a work, with its heading.
type column struct{ part, head string }

var oursAndClientGo = []string{ours, clientGo}

var (
	sameIndex   = &table{"1: Indexer update, index unchanged", []column{{"", "one update"}, {"bytes", "bytes"}}, oursAndClientGo}
	movingIndex = &table{"1: Indexer update, moving between index values", []column{{"", "one update"}}, oursAndClientGo}
	oneReader   = &table{"6: shared informer with one reader (for its memory see the next table: same pods, same informer)",
		[]column{{"writes", "writes"}, {"reads", "reads of all"}}, oursAndClientGo}
	inProcess = &table{"6, 8 and 9: from a list in the process to handlers synced, pods with a name only", []column{{"time", "time"}, {"bytes", "bytes"}}, oursAndClientGo}
	overHTTP  = &table{"8 and 9: from an HTTP LIST to handlers synced, pods of 3.8 KB; bytes are the memory of the whole process for each object",
		[]column{{"time", "time"}, {"steady", "bytes"}}, []string{ours, projected, inJSON, inPB}}
	tables = []*table{sameIndex, movingIndex, oneReader, inProcess, overHTTP}
)

// growthRuns is the number of runs of each contender for these tables. It is small, because these rows have no goals.
const growthRuns = 3

// growthRows returns the rows for the tables' sizes that no other row measures.
func growthRows(p programs, s size) (rows []row) {
	if s == short { // --quick leaves these tables out
		return nil
	}
	local := []struct {
		number      int
		table       *table
		work, count string
	}{
		{1, sameIndex, "indexer-same", "--objects"},
		{1, movingIndex, "indexer-moving", "--objects"},
		{6, oneReader, "shared-informer", "--pods"},
		{6, inProcess, "source", "--pods"},
	}
	for _, work := range local {
		for _, objects := range s.each(1000, 10_000, 100_000, 1_000_000) {
			rows = append(rows, row{number: work.number, name: fmt.Sprintf("growth: %s, %s", work.work, brief(objects)),
				contenders: both(p, s, work.work, work.count, fmt.Sprint(objects)), grows: point{work.table, objects}, runs: min(s.runs, growthRuns)})
		}
	}
	if s == smallest {
		return rows // a smoke run has a single size, which row 8 measures already
	}
	smaller := syncRow(p, 1000)
	smaller.name, smaller.runs = "growth: "+smaller.name, growthRuns
	return append(rows, smaller)
}

// line holds the medians of all contenders for one number of objects.
type line struct {
	objects int
	cells   []string
}

// grown holds the lines of each table.
type grown map[*table][]line

// add adds the line for the measured figures. It returns an error if the contenders did different amounts of work.
func (g grown) add(at point, all map[string]samples) error {
	line := line{objects: at.objects}
	for _, column := range at.table.columns {
		var first []figure
		for _, name := range at.table.contenders {
			figures := all[name][column.part]
			line.cells = append(line.cells, cell(column, figures, at.objects))
			if len(figures) == 0 {
				continue // with many pods, client-go may not finish a single read, and has no figure for reads
			}
			if first == nil {
				first = figures
			}
			if figures[0].Did != first[0].Did || figures[0].Unit != first[0].Unit {
				return fmt.Errorf("not the same work: %+v, %s %+v", first[0], name, figures[0])
			}
		}
	}
	g[at.table] = append(g[at.table], line)
	return nil
}

func cell(column column, figures []figure, objects int) string {
	if len(figures) == 0 {
		return "none"
	}
	value := median(values(figures))
	switch {
	case column.part == "steady": // in MB for all objects; the table has bytes per object
		return number(value * 1e6 / float64(objects))
	case column.part == "bytes" && value <= 0:
		return "" // the memory did not grow
	case column.part == "bytes":
		return number(value)
	default:
		return amount(value, figures[0].Unit)
	}
}

func (g grown) markdown() []byte {
	var out bytes.Buffer
	for _, table := range tables {
		lines := g[table]
		if len(lines) == 0 {
			continue
		}
		slices.SortFunc(lines, func(a, b line) int { return a.objects - b.objects })
		fmt.Fprintf(&out, "\n%s\n\n| objects |", table.title)
		for _, column := range table.columns {
			for _, name := range table.contenders {
				fmt.Fprintf(&out, " %s, %s |", name, column.head)
			}
		}
		fmt.Fprintf(&out, "\n|---|")
		for range len(table.columns) * len(table.contenders) {
			out.WriteString("---|")
		}
		for _, line := range lines {
			fmt.Fprintf(&out, "\n| %s |", brief(line.objects))
			for _, cell := range line.cells {
				fmt.Fprintf(&out, " %s |", cell)
			}
		}
		out.WriteString("\n")
	}
	return out.Bytes()
}

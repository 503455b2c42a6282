package main

// Lists with every combination of the options that choose the resourceVersion and the first object of a list.

import "strings"

// listCombinations returns a sequence that makes four objects and lists them with every combination of
// resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents.
func listCombinations() []Request {
	maps := kinds[0]
	var sequence []Request
	for _, name := range []string{"a", "b", "c", "d"} {
		sequence = append(sequence, sent("POST", maps.path(), "application/json", `{"metadata":{"name":"`+name+`"}}`))
	}
	sequence = append(sequence, sent("PATCH", maps.path()+"/b", mergePatch, `{"data":{"a":"b"}}`))
	queries := [][]string{{}}
	for _, option := range [][]string{
		{"resourceVersion=0", "resourceVersion=<<listrv:>>", "resourceVersion=<<rv:" + maps.plural + "/c>>", "resourceVersion=<<oldrv:" + maps.plural + "/b>>", "resourceVersion=abc"},
		{"resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan", "resourceVersionMatch=exact"},
		{"limit=1", "limit=9"},
		{"continue=<<continue:>>", "continue=nonsense"},
		{"sendInitialEvents=true", "sendInitialEvents=false"},
	} {
		without := queries
		for _, value := range option {
			for _, query := range without {
				queries = append(queries, append(append([]string{}, query...), value))
			}
		}
	}
	for _, query := range queries {
		// The list with limit=1 renews the continue token, so that the next list always continues with the second page.
		for _, text := range []string{"limit=1", strings.Join(query, "&")} {
			sequence = append(sequence, Request{Method: "GET", Path: maps.path() + "?" + text, Plural: maps.plural})
		}
	}
	return sequence
}

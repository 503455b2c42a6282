package main

// Makes requests to subresources that are written as the whole object.

func part(g *generator, kind kind) *draft {
	verbs := []func(*generator, kindOfRequest) *draft{update, update, patch, get}
	made := pick(g, verbs)(g, kind)
	made.path = kind.path() + "/" + g.name(kind) + "/" + pick(g, kind.parts)
	return made
}

// kindOfRequest is kind, for a function with a parameter of that name.
type kindOfRequest = kind

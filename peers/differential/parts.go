package main

// Makes requests to subresources that are written as the whole object.

func part(g *generator, of kind) *draft {
	made := pick(g, []func(*generator, kind) *draft{update, update, patch, get})(g, of)
	made.path = of.path() + "/" + g.name(of) + "/" + pick(g, of.parts)
	return made
}

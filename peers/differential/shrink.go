package main

import "maps"

// shrink finds a short sequence that ends with the same difference: it leaves out one request after the other, those in front first, as
// long as the last one is still answered in the same two ways.
func (r *Runner) shrink(found Finding) Finding {
	class := found.class()
	for size := len(found.sequence) / 2; size > 0; size /= 2 {
		for at := 0; at+size < len(found.sequence); {
			shorter := append(append([]Request{}, found.sequence[:at]...), found.sequence[at+size:]...)
			if again, ok := r.again(shorter, class); ok {
				found = again
			} else {
				at += size
			}
		}
	}
	return found
}

// again runs a sequence and returns the finding of its end, if it is of the class.
func (r *Runner) again(sequence []Request, class string) (Finding, bool) {
	asked, equal, used := r.asked, r.equal, maps.Clone(r.used)
	defer func() { r.asked, r.equal, r.used = asked, equal, used }()
	for _, found := range r.run(sequence) {
		if len(found.sequence) == len(sequence) && found.class() == class {
			return found, true
		}
	}
	return Finding{}, false
}

package main

// Shrinks a sequence of requests to the few that are needed to show a difference.

import "maps"

// shrink returns a shorter sequence that ends with the same difference. It leaves out the first half, then smaller
// and smaller parts, and keeps each sequence whose last request still shows a difference of the same class.
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

// again runs a sequence and returns the finding of its last request, if there is one of this class. The counts of the
// run stay as they were.
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

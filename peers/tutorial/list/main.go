// Command list prints, for every combination of the options of a LIST, whether the API server of 2023 passed it on to etcd.
package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ANCHOR: delegate
// shouldDelegateList is the API server's function of 2023, for the options that a client sends. (The feature gate for
// chunking is left out, because it cannot be disabled any more.)
func shouldDelegateList(options metav1.ListOptions) bool {
	hasContinuation := options.Continue != ""
	hasLimit := options.Limit > 0 && options.ResourceVersion != "0"
	exact := options.ResourceVersionMatch == metav1.ResourceVersionMatchExact
	return options.ResourceVersion == "" || hasContinuation || hasLimit || exact
}

// ANCHOR_END: delegate

func main() {
	fmt.Println("RV  match         limit  continue  delegate")
	for _, version := range []string{"", "0", "R"} {
		for _, match := range []metav1.ResourceVersionMatch{"", metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan} {
			for _, token := range []string{"", "token"} {
				for limit := range int64(2) {
					options := metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: match, Limit: limit, Continue: token}
					cells := fmt.Sprintf("%-3s %-13s %-6s %-9s %s", or(version), or(string(match)), yes(limit > 0, "1", "-"),
						yes(token != "", "yes", "-"), yes(shouldDelegateList(options), "yes", "no"))
					fmt.Println(strings.TrimSpace(cells))
				}
			}
		}
	}
}

func or(text string) string { return yes(text == "", "-", text) }

func yes(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

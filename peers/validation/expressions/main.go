// Command expressions evaluates CEL expressions in the environment of Kubernetes' API server. It reads expressions
// from standard input, one on each line, and writes them with the value or the error, and the cost, as the expected
// results in fixtures/expressions. With -generate it makes random expressions instead of reading them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/google/cel-go/cel"

	"k8s.io/apiserver/pkg/cel/environment"
)

// kase is an expression with its result.
type kase struct {
	Expression string `json:"expression"`
	// Value is the resulting value as text.
	Value string `json:"value,omitempty"`
	// Error is the error of the evaluation.
	Error string `json:"error,omitempty"`
	// Refused is the error of the compilation.
	Refused string `json:"refused,omitempty"`
	// Cost is the cost of the evaluation, in CEL's units.
	Cost uint64 `json:"cost,omitempty"`
}

// object is the value of the variable `object`. Its numbers have the types of numbers in an API object.
var object = map[string]any{
	"a": int64(1), "f": 1.5, "list": []any{int64(1), int64(2), int64(3)}, "names": []any{"x", "y"},
	"map": map[string]any{"k": "v", "l": "w"}, "nothing": nil, "empty": "", "text": "Hällo, Wörld", "yes": true,
	"items": []any{map[string]any{"name": "x", "n": int64(1)}, map[string]any{"name": "y", "n": int64(2)}},
	"deep":  map[string]any{"er": map[string]any{"est": "bottom"}},
}

// answer replaces the results of the case with those of compiling and evaluating its expression.
func answer(env *cel.Env, c *kase) error {
	*c = kase{Expression: c.Expression}
	ast, issues := env.Compile(c.Expression)
	if issues.Err() != nil {
		c.Refused = "compilation failed: " + issues.String()
		return nil
	}
	program, err := env.Program(ast)
	if err != nil {
		c.Refused = "program instantiation failed: " + err.Error()
		return nil
	}
	value, details, err := program.Eval(map[string]any{"object": object})
	if details == nil || details.ActualCost() == nil {
		return errors.New("no cost")
	}
	c.Cost = *details.ActualCost()
	if err != nil {
		c.Error = err.Error()
		return nil
	}
	c.Value = shown(value)
	return nil
}

func environmentOf() (*cel.Env, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	env, err := base.Env(environment.StoredExpressions)
	if err != nil {
		return nil, err
	}
	return env.Extend(cel.Variable("object", cel.DynType))
}

func main() {
	generate := flag.Int("generate", 0, "write so many random cases instead of reading expressions")
	seed := flag.Uint64("seed", 1, "the seed of the random cases")
	flag.Parse()
	env, err := environmentOf()
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	write := func(c kase) {
		if err := answer(env, &c); err != nil {
			log.Fatalf("%s: %v", c.Expression, err)
		}
		if err := out.Encode(c); err != nil {
			log.Fatal(err)
		}
	}
	if *generate > 0 {
		random := newGenerator(*seed)
		for range *generate {
			write(kase{Expression: random.expression()})
		}
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		c := kase{Expression: in.Text()}
		if strings.HasPrefix(in.Text(), `{"expression":`) {
			if err := json.Unmarshal(in.Bytes(), &c); err != nil {
				log.Fatal(fmt.Errorf("%s: %w", in.Text(), err))
			}
		}
		write(c)
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

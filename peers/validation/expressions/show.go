package main

// Writes CEL values as text.

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// shown returns a value as text that also shows its type.
func shown(value ref.Val) string {
	switch value := value.(type) {
	case types.Null:
		return "null"
	case types.Bool, types.Int:
		return fmt.Sprint(value)
	case types.Uint:
		return fmt.Sprintf("%du", uint64(value))
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(value), 'g', -1, 64) + ")"
	case types.String:
		return quoted(string(value))
	case types.Bytes:
		return "bytes(" + base64.StdEncoding.EncodeToString(value) + ")"
	case types.Duration:
		return "duration(" + value.String() + ")"
	case types.Timestamp:
		return "timestamp(" + value.Time.UTC().Format(time.RFC3339Nano) + ")"
	case *types.Optional:
		if !value.HasValue() {
			return "optional()"
		}
		return "optional(" + shown(value.GetValue()) + ")"
	case *types.Type:
		return "type(" + value.TypeName() + ")"
	case traits.Mapper:
		return shownMap(value)
	case traits.Lister:
		parts := []string{}
		for it := value.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, shown(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return shownOfKubernetes(value)
}

func shownMap(value traits.Mapper) string {
	parts := []string{}
	for it := value.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		parts = append(parts, shown(key)+": "+shown(value.Get(key)))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

func shownOfKubernetes(value ref.Val) string {
	switch value := value.(type) {
	case *apiservercel.Quantity:
		return shownOfKubernetes(*value)
	case apiservercel.Quantity:
		return "quantity(" + value.Quantity.String() + ")"
	case apiservercel.URL:
		return "url(" + value.URL.String() + ")"
	case apiservercel.IP:
		return "ip(" + value.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + value.Prefix.String() + ")"
	case apiservercel.Semver:
		return "semver(" + value.Version.String() + ")"
	case apiservercel.Format:
		return "format(" + value.Name + ")"
	}
	log.Fatalf("%T is not shown", value)
	return ""
}

func quoted(text string) string {
	var to strings.Builder
	out := json.NewEncoder(&to)
	out.SetEscapeHTML(false)
	if err := out.Encode(text); err != nil {
		log.Fatal(err)
	}
	return strings.TrimSuffix(to.String(), "\n")
}

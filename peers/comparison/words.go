package main

// Formats numbers and units for the benchmark table.

import (
	"fmt"
	"math"
)

// larger holds the next larger unit for each unit, and the value from which that unit is used, so that figures have few
// digits. It also replaces "us" by "µs".
var larger = map[string]struct {
	from   float64
	factor float64
	unit   string
}{
	"ns": {10_000, 1e-3, "µs"},
	"µs": {10_000, 1e-3, "ms"},
	"ms": {10_000, 1e-3, "s"},
	"us": {0, 1, "µs"},
}

func amount(value float64, unit string) string {
	for {
		step, has := larger[unit]
		if !has || value < step.from {
			return number(value) + " " + unit
		}
		value, unit = value*step.factor, step.unit
	}
}

// number formats a value with three digits. A value of a thousand or more has all its digits before the point.
func number(value float64) string {
	switch size := math.Abs(value); {
	case size >= 99.95:
		return thousands(math.Round(value))
	case size >= 9.995:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.2f", value)
	}
}

func thousands(value float64) string {
	digits := fmt.Sprintf("%.0f", value)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

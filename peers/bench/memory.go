package main

// Measures the memory of the benchmark process.

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// resident returns the largest resident size so far, and the size after a garbage collection that returned free
// memory to the system, in bytes.
func resident() (peak, steady float64, err error) {
	peak, err = status("VmHWM:")
	if err != nil {
		return 0, 0, err
	}
	debug.FreeOSMemory()
	steady, err = status("VmRSS:")
	return peak, steady, err
}

// status returns a size from /proc/self/status, in bytes.
func status(field string) (float64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), field)
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kilobytes) * 1024, err
}

func memoryFigures(did int) ([]figure, error) {
	peak, steady, err := resident()
	return []figure{
		{Part: "peak", Value: peak / 1e6, Unit: "MB", Did: uint64(did)},
		{Part: "steady", Value: steady / 1e6, Unit: "MB", Did: uint64(did)},
	}, err
}

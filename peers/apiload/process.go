package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc. It is the same on every Linux.
const tick = 10 * time.Millisecond

// processorTime returns what a process has used so far, in user and in kernel mode. Without a process it returns zero.
func processorTime(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, afterName, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(afterName)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	kernel, err := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * tick, err
}

// resident returns the memory that a process holds, in bytes.
func resident(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kilobytes) * 1024, err
}

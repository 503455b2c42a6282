package main

// Reads a process's memory and processor time from /proc.

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc, the same on every Linux.
const tick = 10 * time.Millisecond

// processorTime returns the processor time of a process so far, in user and in kernel mode. For the process 0 it
// returns zero.
func processorTime(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// proc(5) counts from 1: the name is field 2, utime and stime are fields 14 and 15.
	_, afterName, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(afterName)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	kernel, err := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * tick, err
}

// rest waits until a process uses less than a tenth of a processor for half a second, because a server's work after
// its answers changes its memory.
func rest(pid int) error {
	const window, busy = 500 * time.Millisecond, 50 * time.Millisecond
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		before, err := processorTime(pid)
		if err != nil {
			return err
		}
		time.Sleep(window)
		after, err := processorTime(pid)
		if err != nil {
			return err
		}
		if after-before < busy {
			return nil
		}
	}
	return errors.New("the server is still busy after a minute")
}

// resident returns the memory of a process at rest, in bytes.
func resident(pid int) (float64, error) {
	if err := rest(pid); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, size, _ := strings.Cut(string(text), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(size)[0])
	return float64(kilobytes) * 1024, err
}

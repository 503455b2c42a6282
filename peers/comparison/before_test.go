package main

import "testing"

func TestSplitProfiles(t *testing.T) {
	rest, profiles := splitProfiles("[package]\nname = \"a\"\n\n[profile.release]\nlto = \"thin\"\n[profile.dev.package.\"*\"]\ndebug = false\n[lints]\nworkspace = true\n")
	if want := "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"; rest != want {
		t.Errorf("the rest is %q, want %q", rest, want)
	}
	if want := "[profile.release]\nlto = \"thin\"\n[profile.dev.package.\"*\"]\ndebug = false\n"; profiles != want {
		t.Errorf("the profiles are %q, want %q", profiles, want)
	}
}

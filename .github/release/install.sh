#!/bin/sh
# Installs informer-lab from a release: downloads the archive for this system, checks its SHA-256, and copies the program into a folder.
#
#   curl -fsSL https://github.com/informer-lab/informer-lab/releases/latest/download/install.sh | sh
#
# INFORMER_LAB_VERSION   the release, such as v0.1.0 [the newest]
# INFORMER_LAB_FOLDER    the folder for the program [~/.local/bin]
# INFORMER_LAB_RELEASES  the address of the releases [those on GitHub]
set -eu

main() { # a function, so that the shell has read the whole script before it begins
  releases=${INFORMER_LAB_RELEASES:-https://github.com/informer-lab/informer-lab/releases}
  folder=${INFORMER_LAB_FOLDER:-$HOME/.local/bin}
  case ${INFORMER_LAB_VERSION:-latest} in
    latest) from=$releases/latest/download ;;
    *) from=$releases/download/$INFORMER_LAB_VERSION ;;
  esac
  target=$(target)
  name=informer-lab-$target
  program=informer-lab
  case $target in *-windows-*) program=informer-lab.exe ;; esac

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch" "$folder/.$program.new"' EXIT
  trap 'exit 1' HUP INT TERM # dash runs no EXIT trap after a signal
  download "$from/SHA256SUMS" "$scratch/SHA256SUMS"
  download "$from/$name.tar.gz" "$scratch/$name.tar.gz"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\.tar\.gz\$/\1/p" "$scratch/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS does not name $name.tar.gz"
  [ "$(sha256 "$scratch/$name.tar.gz")" = "$expected" ] || fail "the checksum of $name.tar.gz is wrong: nothing was installed"

  tar -xzf "$scratch/$name.tar.gz" -C "$scratch"
  mkdir -p "$folder"
  cp "$scratch/$name/$program" "$folder/.$program.new"
  mv -f "$folder/.$program.new" "$folder/$program" # replaces a program that runs, too
  "$folder/$program" --version
  echo "installed in $folder"
  case :$PATH: in *:"$folder":*) ;; *) echo "$folder is not on your PATH" ;; esac
}

# Prints the target of this system's archive.
target() {
  case $(uname -s) in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    MINGW* | MSYS* | CYGWIN*) echo x86_64-pc-windows-msvc; return ;; # Windows on Arm runs it too
    *) fail "there is no archive for $(uname -s); build the program from source" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) echo "x86_64-$system" ;;
    aarch64 | arm64) echo "aarch64-$system" ;;
    *) fail "there is no archive for $(uname -m); build the program from source" ;;
  esac
}

download() { # URL FILE
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 --connect-timeout 30 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail 'curl and wget are missing: install one of them'
  fi || fail "cannot download $1"
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

main

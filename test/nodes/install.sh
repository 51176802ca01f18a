#!/usr/bin/env bash
# Brings in the daemons that the tests of this folder run against: bitcoind, litecoind and lnd; valkey-server, which gateways share
# answers by; promtool, which checks rules; helm, which renders the chart of examples/kubernetes; and pg_dump with pg_restore, which
# must not be older than the PostgreSQL of the tests.
#
#     test/nodes/install.sh            what is missing, and nothing when nothing is
#
# A program that the machine has on its PATH, or that BITCOIND, LITECOIND, LND, VALKEY_SERVER, PROMTOOL, HELM or PG_DUMP names (pg_restore stands beside pg_dump), is used as it is. What has to be
# fetched comes as Debian packages from the machine's own package source and is unpacked below this folder
# (.bin, or what TEST_NODES_DIR names): the system stays as it was. lnd and helm are built from their Go modules, which lnd/go.mod
# and helm/go.mod pin: some six minutes on two cores the first time, and seconds with Go's own cache.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(realpath -m "${TEST_NODES_DIR:-$here/.bin}")

# True when a program runs, be it one of the machine's or one of ours.
runs() { "$1" --version >/dev/null 2>&1; }

have() {
  local named=$1 program=$2
  if [ -n "$named" ]; then runs "$named"; else runs "$program" || runs "$prefix/bin/$program"; fi
}

need_apt() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && return
  echo "$1 is missing and there is no apt-get here: install it and put it on the PATH, or name it by $2." >&2
  exit 1
}

# Prints the URI of the archive that this machine fetches its own packages from.
archive() {
  local uri
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 -E '/debian/?$' || true)
  if [ -z "$uri" ]; then
    apt-get update -qq >&2 || true
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 -E '/debian/?$' || true)
  fi
  [ -n "$uri" ] || { echo "This machine knows no Debian archive; install bitcoind and litecoind by hand." >&2; exit 1; }
  printf '%s\n' "$uri"
}

# A package manager of its own for the suites it is told, with everything it keeps below one folder.
private_apt() {
  local folder=$1 uri=$2 suite
  shift 2
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,preferences.d,debs}
  : >"$folder/status"
  : >"$folder/sources"
  for suite in "$@"; do
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$uri" "$suite" >>"$folder/sources"
  done
  # The suite that is named first wins wherever it has a package.
  printf 'Package: *\nPin: release n=%s\nPin-Priority: 900\n' "$1" >"$folder/preferences.d/first"
  cat >"$folder/conf" <<CONF
Dir::Etc::sourcelist "$folder/sources";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "$folder/preferences.d";
Dir::State "$folder";
Dir::State::lists "$folder/lists";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
CONF
  APT_CONFIG="$folder/conf" apt-get update -qq
}

# The package and the libraries it is linked with, however deep; what only an installation needs is left out.
closure() {
  local package=$1
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$package" |
    grep -E "^($package|lib[a-z0-9.+-]+|zlib1g[a-z0-9]*|gcc-[0-9]+-base)\$" |
    grep -vE '^lib(js-|systemd|mount|blkid|selinux|pcre2|audit|acl|crypt1|pam|seccomp|apparmor|kmod|fdisk|p11|idn2|unistring|tss2)' |
    sort -u
}

# Unpacks a package with its libraries, and writes a starter that runs it with exactly those.
unpack() {
  local package=$1 program=$2 variable=$3
  shift 3
  need_apt "$program" "$variable"
  local work root loader binary libraries
  work=$(mktemp -d)
  root="$prefix/$package"
  rm -rf "$root"
  mkdir -p "$root" "$prefix/bin"
  private_apt "$work" "$(archive)" "$@"
  export APT_CONFIG="$work/conf"
  # shellcheck disable=SC2046
  (cd "$work/debs" && apt-get download -qq $(closure "$package"))
  unset APT_CONFIG
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
  rm -rf "$work"
  # The machine's loader may be older than the libraries, so that theirs runs the program; and not through a script of
  # the package, which would look for the system's own folders.
  loader=$(find "$root" -name 'ld-linux*.so.*' | head -n 1)
  binary=$(find "$root/usr" -type f -name "${BINARY:-$program}" -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print | head -n 1)
  libraries=$(find "$root" \( -name libc.so.6 -o -name 'libstdc++.so.6' \) -printf '%h\n' | sort -u | paste -s -d :)
  printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 "%s" "%s" "$@"\n' "$loader" "$libraries" "$program" "$binary" >"$prefix/bin/$program"
  chmod +x "$prefix/bin/$program"
  runs "$prefix/bin/$program" || { echo "$program was unpacked but does not start." >&2; exit 1; }
}

if ! have "${LITECOIND:-}" litecoind; then
  unpack litecoind litecoind LITECOIND bookworm
fi
if ! have "${PROMTOOL:-}" promtool; then
  unpack prometheus promtool PROMTOOL bookworm
fi
# One program with several names, which is the server when it is called so.
if ! have "${VALKEY_SERVER:-}" valkey-server; then
  BINARY=valkey-check-rdb unpack valkey-tools valkey-server VALKEY_SERVER trixie
fi
# No stable suite has a node for Bitcoin. The unstable one has a fork of Bitcoin Core that is kept up with it.
if ! have "${BITCOIND:-}" bitcoind; then
  unpack bitcoin-knots bitcoind BITCOIND trixie sid
fi

# True for a pg_dump that can read the PostgreSQL of the tests (version 18), with its pg_restore beside it.
dumps() {
  local program
  program=$(command -v "$1") && [ -x "$(dirname "$program")/pg_restore" ] || return 1
  [ "$("$program" --version | grep -oE '[0-9]+' | head -n 1)" -ge 18 ]
}
if ! dumps "${PG_DUMP:-pg_dump}" && ! dumps "$prefix/bin/pg_dump"; then
  unpack postgresql-client-18 pg_dump PG_DUMP sid
  sed 's/pg_dump/pg_restore/g' "$prefix/bin/pg_dump" >"$prefix/bin/pg_restore"
  chmod +x "$prefix/bin/pg_restore"
fi

# Builds a program from the Go modules that go.mod of a folder pins. Without cgo it needs no C compiler.
build() {
  local folder=$1 program=$2
  shift 2
  if ! command -v go >/dev/null; then
    echo "$program is missing and there is no Go to build it with: install Go, or name the program by ${program^^}." >&2
    exit 1
  fi
  mkdir -p "$prefix/bin"
  echo "$program is built; this takes some minutes the first time." >&2
  # A compiler that collects its garbage less often needs a quarter less of the processor, and two gigabytes.
  (cd "$here/$folder" && CGO_ENABLED=0 GOGC=400 go build -mod=readonly -trimpath -ldflags '-s -w' -o "$prefix/bin/$program.new" "$@")
  # Moved as a whole, so that a build that was cut short leaves nothing that looks finished.
  mv "$prefix/bin/$program.new" "$prefix/bin/$program"
  cat "$here/$folder"/go.mod $(find "$here/$folder" -name '*.go') >"$prefix/bin/$program.mod"
}

# One that was built here from other modules or sources than there are now is built again.
is_built() {
  local folder=$1 program=$2
  [ -x "$prefix/bin/$program" ] && cat "$here/$folder"/go.mod $(find "$here/$folder" -name '*.go') | cmp -s - "$prefix/bin/$program.mod"
}

# The tags are the parts of its interface that the tests and the adapter call.
if [ -z "${LND:-}" ] && ! runs lnd && ! is_built lnd lnd; then
  build lnd lnd -tags 'invoicesrpc routerrpc' github.com/lightningnetwork/lnd/cmd/lnd
fi
# The version that is pinned, whatever the machine has: each renders and refuses in its own way.
if [ -z "${HELM:-}" ] && ! is_built helm helm; then
  build helm helm helm.sh/helm/v3/cmd/helm
fi
is_built helm kubernetes-objects || build helm kubernetes-objects ./objects

#!/usr/bin/env bash
# Brings in the clients that the tests of this folder run.
#
#     test/clients/install.sh                    what is missing, and nothing when nothing is
#     CLIENTS=viem,curl test/clients/install.sh  these alone
#
# Each client comes from its own registry in the version that its lock file here pins. What is built goes to temp/clients of
# the repository, or where TEST_CLIENTS_DIR says. A client that cannot be had is said with the reason, which its tests repeat:
# they fail, and are not skipped. The others are installed all the same.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(realpath -m "${TEST_CLIENTS_DIR:-$here/../../temp/clients}")
mkdir -p "$prefix"/{installed,missing,log}

# In each of these functions the last words, or those of the log, are why it failed.
need() {
  command -v "$1" >/dev/null && return
  echo "install $2" >"$prefix/missing/$client"
  return 1
}

# True when what was installed was made from these files.
current() {
  cat "$@" | cmp -s - "$prefix/installed/$client"
}

installed() {
  cat "$@" >"$prefix/installed/$client"
}

# Runs a command, and keeps what it says.
logged() {
  "$@" >"$prefix/log/$client" 2>&1 && return
  { echo "\`$*\` failed:" && tail -n 20 "$prefix/log/$client"; } >"$prefix/missing/$client"
  return 1
}

# The packages of the repository have it.
install_viem() {
  local manifest=$here/../../node_modules/viem/package.json
  [ -f "$manifest" ] || { echo 'run npm ci in the repository' >"$prefix/missing/viem" && return 1; }
  installed "$manifest"
}

install_ethers() {
  current "$here/package-lock.json" && [ -f "$here/node_modules/.package-lock.json" ] && return
  need npm 'Node with npm' && cd "$here" && logged npm ci && installed package-lock.json
}

install_curl() {
  need curl 'curl (apt-get install curl)' || return
  curl --version | grep -q HTTP2 || { echo 'install a curl with HTTP/2: this one has none' >"$prefix/missing/curl" && return 1; }
  curl --version | installed -
}

install_jdk() {
  need javac 'a JDK of version 17 or later (apt-get install openjdk-17-jdk-headless)' || return
  installed "$here/jdk/Main.java"
}

chosen=${CLIENTS:-viem,ethers,curl,jdk}
lacking=()
for client in ${chosen//,/ }; do
  declare -F "install_$client" >/dev/null || { echo "There is no client $client." >&2 && exit 1; }
  # In a shell of its own: a folder that it goes to is not the next one's.
  if ("install_$client"); then
    rm -f "$prefix/missing/$client"
  else
    rm -f "$prefix/installed/$client"
    lacking+=("$client")
    echo "$client is missing: $(cat "$prefix/missing/$client")" >&2
  fi
done
[ ${#lacking[@]} -eq 0 ]

#!/usr/bin/env bash
# Brings in the clients that the tests of this folder run.
#
#     test/lab/clients/install.sh                    what is missing, and nothing when nothing is
#     CLIENTS=viem,curl test/lab/clients/install.sh  these alone
#
# Each client comes from its own registry in the version that its lock file here pins. What is built goes to temp/clients of
# the repository, or where TEST_CLIENTS_DIR says. A client that cannot be had is said with the reason, which its tests repeat:
# they fail, and are not skipped. The others are installed all the same.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(realpath -m "${TEST_CLIENTS_DIR:-$here/../../../temp/clients}")
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
package_of_repository() {
  local manifest=$here/../../../node_modules/$1/package.json
  [ -f "$manifest" ] || { echo 'run npm ci in the repository' >"$prefix/missing/$client" && return 1; }
  installed "$manifest"
}

install_viem() { package_of_repository viem; }

# The packages that package.json of this folder names.
npm_packages() {
  current "$here/package-lock.json" && [ -f "$here/node_modules/.package-lock.json" ] && return
  need npm 'Node with npm' && cd "$here" && logged npm ci && installed package-lock.json
}

install_ethers() { npm_packages; }

install_curl() {
  need curl 'curl (apt-get install curl)' || return
  curl --version | grep -q HTTP2 || { echo 'install a curl with HTTP/2: this one has none' >"$prefix/missing/curl" && return 1; }
  curl --version | installed -
}

# A virtual environment with exactly the packages that the requirements in the client's folder name.
python_packages() {
  local requirements=$here/${1:-$client}/requirements.txt
  current "$requirements" && "$prefix/$client/bin/python" -c '' 2>/dev/null && return
  need python3 'Python 3.10 or later with venv (apt-get install python3-venv)' || return
  rm -rf "$prefix/$client"
  logged python3 -m venv "$prefix/$client" &&
    logged "$prefix/$client/bin/pip" install --quiet --no-deps -r "$requirements" &&
    installed "$requirements"
}

install_jdk() {
  need javac 'a JDK of version 17 or later (apt-get install openjdk-17-jdk-headless)' || return
  installed "$here/jdk/Main.java"
}

install_web3py() { python_packages; }

install_x402-fetch() { package_of_repository @x402/fetch; }

install_x402-python() { python_packages; }

install_greenfield-node() { npm_packages; }

install_greenfield-python() { python_packages greenfield/python; }

install_geth() {
  local folder=$here/geth
  current "$folder/go.sum" "$folder/main.go" && [ -x "$prefix/bin/geth" ] && return
  need go 'Go 1.25 or later' || return
  # Without cgo it needs no C compiler.
  cd "$folder" && CGO_ENABLED=0 logged go build -mod=readonly -trimpath -ldflags '-s -w' -o "$prefix/bin/geth" . &&
    installed go.sum main.go
}

install_browser() {
  local program
  for program in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ -x "$program" ] && echo "$program" | installed - && return
  done
  echo 'install Chromium (apt-get install --no-install-recommends chromium)' >"$prefix/missing/browser"
  return 1
}

install_web3j() {
  local folder=$here/web3j
  current "$folder/pom.xml" "$folder/src/main/java/Main.java" && [ -d "$prefix/web3j/classes" ] && return
  need javac 'a JDK of version 17 or later (apt-get install openjdk-17-jdk-headless)' || return
  need mvn 'Maven (apt-get install maven)' || return
  rm -rf "$prefix/web3j"
  logged mvn --batch-mode --quiet --file "$folder/pom.xml" "-Doutput=$prefix/web3j" \
    compile dependency:copy-dependencies "-DoutputDirectory=$prefix/web3j/libraries" -DincludeScope=runtime &&
    installed "$folder/pom.xml" "$folder/src/main/java/Main.java"
}

# Built without TLS, whose library would be most of the work: it takes a minute or two on two cores.
install_alloy() {
  local folder=$here/alloy
  current "$folder/Cargo.lock" "$folder/src/main.rs" && [ -x "$prefix/alloy/debug/alloy-client" ] && return
  need cargo 'Rust 1.95 or later with cargo' || return
  CARGO_TARGET_DIR=$prefix/alloy logged cargo build --locked --manifest-path "$folder/Cargo.toml" &&
    installed "$folder/Cargo.lock" "$folder/src/main.rs"
}

chosen=${CLIENTS:-viem,ethers,curl,jdk,web3py,geth,browser,web3j,alloy,x402-fetch,x402-python,greenfield-node,greenfield-python}
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

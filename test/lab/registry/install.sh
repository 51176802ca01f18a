#!/usr/bin/env bash
# Installs the registry of packages and the Node release that the lock file here pins.
#
#     test/lab/registry/install.sh    what is missing, and nothing when nothing is; they are kept in temp/registry
#
# Nothing is compiled. Where they cannot be had, the tests repeat the reason: they fail, and are not skipped.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder="$here/../../../temp/registry"
mkdir -p "$folder" && cp "$here/package.json" "$here/package-lock.json" "$folder" && cd "$folder" || exit 1
cmp -s package-lock.json node_modules/.installed && exit 0
rm -f missing.log
echo "Installing the registry and Node 24, once: half a minute."
if npm ci --ignore-scripts --no-audit --no-fund >install.log 2>&1; then
  cp package-lock.json node_modules/.installed
else
  { echo '`npm ci` failed:' && tail -n 20 install.log; } >missing.log
  echo "The registry is missing: $(cat missing.log)" >&2
  exit 1
fi

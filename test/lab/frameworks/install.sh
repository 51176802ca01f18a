#!/usr/bin/env bash
# Installs the frameworks that examples/embed-frameworks mounts the till in, in the versions that the lock file here pins.
#
#     test/lab/frameworks/install.sh    what is missing, and nothing when nothing is; they are kept in temp/frameworks
#
# Nothing is compiled. Where they cannot be had, the tests repeat the reason: they fail, and are not skipped.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder="$here/../../../temp/frameworks"
mkdir -p "$folder" && cp "$here/package.json" "$here/package-lock.json" "$folder" && cd "$folder" || exit 1
cmp -s package-lock.json node_modules/.installed && exit 0
rm -f missing.log
echo "Installing the frameworks, once: half a minute."
if npm ci --ignore-scripts --no-audit --no-fund >install.log 2>&1; then
  cp package-lock.json node_modules/.installed
else
  { echo '`npm ci` failed:' && tail -n 20 install.log; } >missing.log
  echo "The frameworks are missing: $(cat missing.log)" >&2
  exit 1
fi

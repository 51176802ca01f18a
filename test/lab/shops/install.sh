#!/usr/bin/env bash
# Installs the shop systems that the tests of this folder run, in the versions that the lock files here pin.
#
#     test/lab/shops/install.sh    what is missing, and nothing when nothing is
#
# Nothing is compiled. A system that cannot be had is said with the reason, which its tests repeat: they fail, and are not skipped.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lacking=0
for shop in vendure medusa; do
  cd "$here/$shop" || exit 1
  cmp -s package-lock.json node_modules/.installed && continue
  rm -f missing.log
  echo "Installing $shop, once: a minute or two."
  if npm ci --ignore-scripts --no-audit --no-fund >install.log 2>&1; then
    cp package-lock.json node_modules/.installed
  else
    { echo '`npm ci` failed:' && tail -n 20 install.log; } >missing.log
    echo "$shop is missing: $(cat missing.log)" >&2
    lacking=1
  fi
done
exit $lacking

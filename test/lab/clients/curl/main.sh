#!/usr/bin/env bash
# curl, which offers HTTP/2 in each request, through the gateway: prints a line for each feature of ../features.ts.
set -euo pipefail

BEARER="Authorization: Bearer $GATEWAY_KEY"
ask() {
  curl -sS --fail-with-body --http2 --max-time 20 --noproxy '*' -H 'Content-Type: application/json' "$@"
}
call() {
  printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}' "$1" "${2:-[]}"
}
# The results of a reply, on one line.
results() {
  grep -o '"result":"[^"]*"' | cut -d '"' -f 4 | paste -s -d ' '
}

echo "version $(curl --version | head -n 1 | cut -d ' ' -f 2)"
# Two requests over one connection: the offer must not cost the connection.
reply=$(ask -H "$BEARER" -d "$(call eth_chainId)" -w '\nconnections %{num_connects}\n' "$GATEWAY_HTTP/" "$GATEWAY_HTTP/")
grep -qx 'connections 0' <<<"$reply" || { echo "the second request opened a connection: $reply" >&2 && exit 1; }
read -r first second < <(results <<<"$reply")
[ "$first" = "$second" ]
echo "http-header $first"
echo "http-path $(ask -d "$(call eth_chainId)" "$GATEWAY_HTTP/$GATEWAY_KEY" | results)"
batch="[$(call eth_chainId),$(call eth_getBalance "[\"$RICH\",\"latest\"]")]"
echo "http-batch $(ask -H "$BEARER" -d "$batch" "$GATEWAY_HTTP" | results)"
hash=$(ask -H "$BEARER" -d "$(call eth_sendRawTransaction "[\"$RAW_TRANSACTION\"]")" "$GATEWAY_HTTP" | results)
until ask -H "$BEARER" -d "$(call eth_getTransactionReceipt "[\"$hash\"]")" "$GATEWAY_HTTP" | grep -q '"status":"0x1"'; do
  sleep 0.1
done
echo "transaction $hash"

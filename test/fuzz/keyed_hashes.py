"""Keyed hashes by another implementation: one JSON request a line, `[hash, key in hex, text in hex]`, one result in hex a line."""
import hashlib
import hmac
import json
import sys

for line in sys.stdin:
    name, key, text = json.loads(line)
    print(hmac.new(bytes.fromhex(key), bytes.fromhex(text), getattr(hashlib, name)).hexdigest())

"""The package x402 pays an order: prints what ../x402.test.ts reads. X402_WAY is the HTTP library, httpx or requests."""

import asyncio
import os
from importlib.metadata import version

from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.http.clients import x402_requests, x402HttpxClient
from x402.mechanisms.evm.exact import register_exact_evm_client

URL = os.environ["X402_URL"]
NETWORK = f"eip155:{os.environ['CHAIN_ID']}"
PAYER = Account.from_key(os.environ["PRIVATE_KEY"])


def say(name: str, *values: object) -> None:
    print(name, *values, flush=True)


def paying(client):
    # By default it pays with the tokens that it knows; the one of this test it cannot know.
    return register_exact_evm_client(client.set_spend_controls(False), PAYER, networks=NETWORK)


async def with_httpx() -> None:
    async with x402HttpxClient(paying(x402Client()), timeout=60) as http:
        for name in ("paid", "again"):
            reply = await http.get(URL)
            say(name, reply.status_code, reply.headers.get("payment-response", "-"))


def with_requests() -> None:
    with x402_requests(paying(x402ClientSync())) as http:
        for name in ("paid", "again"):
            reply = http.get(URL, timeout=60)
            say(name, reply.status_code, reply.headers.get("payment-response", "-"))


say("version", version("x402"))
if os.environ["X402_WAY"] == "httpx":
    asyncio.run(with_httpx())
else:
    with_requests()

"""The package x402 pays an order, or at the gate where there is GATE_URL: prints what ../x402.test.ts reads.

X402_WAY is the HTTP library, httpx or requests.
"""

import asyncio
import os
from importlib.metadata import version

from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.http.clients import x402_requests, x402HttpxClient
from x402.mechanisms.evm.exact import register_exact_evm_client

URL = os.environ.get("X402_URL", "")
GATE = os.environ.get("GATE_URL")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber"}
NETWORK = f"eip155:{os.environ['CHAIN_ID']}"
PAYER = Account.from_key(os.environ["PRIVATE_KEY"])


def say(name: str, *values: object) -> None:
    print(name, *values, flush=True)


def paying(client):
    # By default it pays with the tokens that it knows; the one of this test it cannot know.
    return register_exact_evm_client(client.set_spend_controls(False), PAYER, networks=NETWORK)


def say_paid(reply):
    """Answers with the headers of whoever has the new key."""
    say("paid", reply.status_code, reply.headers.get("payment-response", "-"))
    say("read", reply.json().get("result"))
    return {"Authorization": f"Bearer {reply.headers.get('tillgate-key')}"}


def say_again(reply) -> None:
    say("again", reply.status_code, reply.json().get("result"))


async def with_httpx() -> None:
    async with x402HttpxClient(paying(x402Client()), timeout=60) as http:
        if GATE:
            own = say_paid(await http.post(GATE, json=CALL))
            say_again(await http.post(GATE, json=CALL, headers=own))
            return
        for name in ("paid", "again"):
            reply = await http.get(URL)
            say(name, reply.status_code, reply.headers.get("payment-response", "-"))


def with_requests() -> None:
    with x402_requests(paying(x402ClientSync())) as http:
        if GATE:
            own = say_paid(http.post(GATE, json=CALL, timeout=60))
            say_again(http.post(GATE, json=CALL, headers=own, timeout=60))
            return
        for name in ("paid", "again"):
            reply = http.get(URL, timeout=60)
            say(name, reply.status_code, reply.headers.get("payment-response", "-"))


say("version", version("x402"))
if os.environ["X402_WAY"] == "httpx":
    asyncio.run(with_httpx())
else:
    with_requests()

"""web3.py through the gateway: prints a line for each feature of ../features.ts."""

import asyncio
import os
from importlib.metadata import version
from urllib.request import urlopen

from web3 import AsyncWeb3, HTTPProvider, Web3, WebSocketProvider
from websockets.exceptions import ConnectionClosed

URL, WS_URL, KEY = (os.environ[name] for name in ("GATEWAY_HTTP", "GATEWAY_WS", "GATEWAY_KEY"))
BEARER = {"Authorization": f"Bearer {KEY}"}


def say(feature: str, *values: object) -> None:
    print(feature, *values, flush=True)


def restart() -> int:
    """Has the gateway restarted; returns the number of the latest block then."""
    with urlopen(os.environ["RESTART_URL"]) as reply:
        return int(reply.read())


def over_http() -> None:
    # Headers that are given replace those of web3.py: these requests have no Content-Type.
    in_header = Web3(HTTPProvider(URL, request_kwargs={"headers": BEARER}))
    say("http-header", in_header.eth.chain_id)
    in_path = Web3(HTTPProvider(f"{URL}/{KEY}"))
    say("http-path", in_path.eth.chain_id)
    with in_path.batch_requests() as batch:
        batch.add(in_path.eth.chain_id)
        batch.add(in_path.eth.get_balance(Web3.to_checksum_address(os.environ["RICH"])))
        say("http-batch", *batch.execute())
    say("transaction", transfer(in_header))
    restart()
    say("http-restart", in_header.eth.chain_id)


def transfer(w3: Web3) -> str:
    account = w3.eth.account.from_key(os.environ["PRIVATE_KEY"])
    signed = account.sign_transaction(
        {
            "to": Web3.to_checksum_address(os.environ["RECEIVER"]),
            "value": 1,
            "gas": 21_000,
            "maxFeePerGas": 2 * w3.eth.gas_price,
            "maxPriorityFeePerGas": 1,
            "nonce": w3.eth.get_transaction_count(account.address, "pending"),
            "chainId": int(os.environ["CHAIN_ID"]),
        }
    )
    hash = w3.eth.send_raw_transaction(signed.raw_transaction)
    return Web3.to_hex(w3.eth.wait_for_transaction_receipt(hash, poll_latency=0.1)["transactionHash"])


async def over_websocket() -> None:
    in_header = WebSocketProvider(WS_URL, websocket_kwargs={"additional_headers": BEARER})
    async with AsyncWeb3(in_header) as w3:
        say("ws-header", await w3.eth.chain_id)
    former = None
    async for w3 in AsyncWeb3(WebSocketProvider(f"{WS_URL}/{KEY}")):
        try:
            if former is None:
                say("ws-path", await w3.eth.chain_id)
            await w3.eth.subscribe("newHeads")
            async for message in w3.socket.process_subscriptions():
                head = message["result"]
                if former is None:
                    say("subscription", Web3.to_hex(head["hash"]))
                    former = await asyncio.to_thread(restart)
                elif head["number"] > former:
                    say("ws-restart", Web3.to_hex(head["hash"]))
                    return
        except ConnectionClosed:
            continue


say("version", version("web3"))
over_http()
asyncio.run(over_websocket())

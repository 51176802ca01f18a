"""Subscriptions of web3.py through the gateway: prints what each client is told, as ../subscriptions.test.ts wants it."""

import asyncio
import json
import os

from web3 import AsyncWeb3, Web3, WebSocketProvider

URL = f"{os.environ['GATEWAY_WS']}/{os.environ['GATEWAY_KEY']}"
EMITTER = Web3.to_checksum_address(os.environ["EMITTER"])


def say(line: dict) -> None:
    print(json.dumps(line), flush=True)


async def run(client: int, subscribed: asyncio.Queue) -> None:
    try:
        async with AsyncWeb3(WebSocketProvider(URL)) as w3:
            heads = await w3.eth.subscribe("newHeads")
            await w3.eth.subscribe("logs", {"address": EMITTER})
            await subscribed.put(client)
            async for message in w3.socket.process_subscriptions():
                result = message["result"]
                if message["subscription"] == heads:
                    head = {name: Web3.to_hex(result[name]) for name in ("hash", "parentHash")}
                    say({"client": client, "head": {"number": result["number"], **head}})
                else:
                    log = {"blockHash": Web3.to_hex(result["blockHash"]), "logIndex": result["logIndex"]}
                    say({"client": client, "log": {**log, "removed": result["removed"]}})
    except Exception as error:
        say({"client": client, "error": repr(error)})


async def main() -> None:
    subscribed: asyncio.Queue = asyncio.Queue()
    count = int(os.environ["CLIENTS"])
    tasks = [asyncio.create_task(run(client, subscribed)) for client in range(count)]
    for _ in tasks:
        await subscribed.get()
    say({"ready": True})
    await asyncio.gather(*tasks)


asyncio.run(main())

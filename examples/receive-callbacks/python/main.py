"""Receives callbacks; see ../README.md. Python 3.9 or later, no packages."""

import base64
import hashlib
import hmac
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(os.environ.get("PORT", "9000"))
KEY = base64.b64decode(os.environ["CALLBACK_SECRET"].removeprefix("whsec_"), validate=True)
TOLERANCE_S = 300
MAX_BODY = 1_000_000
handled = set()  # a table with a unique column, written in the transaction of handle()
lock = threading.Lock()


def handle(order_id, status):
    print(f"order {order_id} is {status}", flush=True)


def is_authentic(headers, body):
    call_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not call_id or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{call_id}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    presented = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    return any(hmac.compare_digest(each, expected) for each in presented)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,7}", length) or int(length) > MAX_BODY:
            return self.answer(400)
        body = self.rfile.read(int(length))
        if not is_authentic(self.headers, body):
            return self.answer(400)
        order = json.loads(body)
        with lock:
            if self.headers["webhook-id"] not in handled:
                handle(order["order_id"], order["status"])
                handled.add(self.headers["webhook-id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
print(f"listens on {PORT}", flush=True)
server.serve_forever()

"""Receives Overheard's webhooks with the standard library: WEBHOOK_SECRET=whsec_... python3 receiver.py"""

import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Rejected(Exception):
    """The request is no delivery to act upon."""


def verify(body: bytes, headers, secret: str, tolerance_seconds: int = 300, now: float | None = None) -> dict:
    """Gives what a delivery carries. `headers` ignore case, as those of http.server, Flask and Django do."""
    timestamp, signature = headers.get("X-Service-Timestamp"), headers.get("X-Service-Signature")
    if timestamp is None or signature is None:
        raise Rejected("the delivery is not signed")
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signature.encode(), f"v1={digest}".encode()):
        raise Rejected("the signature does not match")
    if not timestamp.isdecimal() or abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise Rejected("the timestamp is too far from now")
    return json.loads(body)


# Of the last days, in your database: the same task may come again.
handled: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            task = verify(body, self.headers, os.environ["WEBHOOK_SECRET"])["task"]
        except Rejected:
            return self.answer(401)
        if task["id"] not in handled:
            print(task["id"], task["status"], flush=True)  # Write it down here; do the work later.
            handled.add(task["id"])
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("", int(os.environ.get("PORT", 9000))), Receiver).serve_forever()

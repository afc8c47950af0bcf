"""Who may ask a served store: programs of this machine that know its token, and no page of a foreign site.

A browser lets any page send requests to this machine, and a name may be made to lead here (DNS rebinding). So
the Host must be ours, and so must the Origin where there is one; then the token decides.
"""

from __future__ import annotations

import hmac
import json

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from memcore.server.served import Served

OPEN = ("/", "/docs", "/openapi.json", "/v1/holder")
OPEN_FOLDER = "/swagger/"
"""What tells nothing of the store and needs no token: the interface's description, and the proof that its
holder knows the token."""


class Guard:
    """An ASGI application that only passes on what may be asked."""

    def __init__(self, app: ASGIApp, served: Served) -> None:
        self._app = app
        self._hosts = {f"{name}:{served.port}" for name in ("127.0.0.1", "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._wanted = f"Bearer {served.token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan" or (why := self._refused(scope)) is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await _refuse(send, *why)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refused(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return 403, "This Host is not served here.", "Ask the address that served.json names."
        if "origin" in headers and headers["origin"] not in self._origins:
            return 403, "Pages of other sites may ask nothing here.", "Ask from a program of this machine."
        path = scope["path"]
        if path in OPEN or path.startswith(OPEN_FOLDER):
            return None
        if hmac.compare_digest(headers.get("authorization", "").encode(), self._wanted):
            return None
        return (
            401,
            "The token is missing or wrong.",
            "Send “Authorization: Bearer TOKEN” with the token of served.json in the store's directory.",
        )


async def _refuse(send: Send, status: int, cause: str, fix: str) -> None:
    said = json.dumps({"error": cause, "fix": fix, "kind": "UsageError"}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(said)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": said})

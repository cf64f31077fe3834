"""What every answer says to the browser: load nothing from outside, stand in no foreign frame.

And what no answer says any more: a visitor may leave in the middle of one.
"""

from __future__ import annotations

from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected

# Where a page may load what from. Streamlit and its components bring scripts and styles inline and
# as blob: URLs; Plotly compiles its shaders with `new Function`.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "connect-src": "'self' blob: data:",
    "worker-src": "'self' blob:",
    "frame-src": "'self' blob: data:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {places}" for name, places in POLICY.items()),
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
_ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_OURS = dict(_ENCODED).keys()


class SecurityHeaders:
    """ASGI middleware: puts `HEADERS` on every HTTP answer, in place of any of the same name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request; those of a web socket pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = (pair for pair in message["headers"] if pair[0].lower() not in _OURS)
                message = {**message, "headers": [*others, *_ENCODED]}
            await send(message)

        await self._app(scope, receive, with_headers)


class Departures:
    """ASGI middleware: a web socket that closes while Streamlit is about to use it is no error.

    Streamlit would close it once more, and the log would hold a traceback for each such visitor.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or one connection."""
        with suppress(WebSocketDisconnected):
            await self._app(scope, receive, send)

"""What answers say to the browser, who can reach the server, how its loop is woken and writes."""

import asyncio
import ipaddress
import secrets
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from glassformer.app.session.limits import OWNER

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
POLICY_HEADER = b"content-security-policy"
KNOWN = 365 * 86_400  # seconds that a browser is known
GATHER = 0.004  # seconds that a message of a rerun waits for others
RERUN = "ScriptRunner."  # how the names of Streamlit's threads for reruns begin
IDLE = 1.0  # seconds between two looks whether the loop has ended


class SecurityHeaders:
    """ASGI middleware: puts `HEADERS` on every HTTP answer, in place of any of the same name.

    A light page allows less than Streamlit needs: an answer's own policy stays.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request; those of a web socket pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        owner = _owner(scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message["headers"]
                kept = {POLICY_HEADER} & {name.lower() for name, _ in given}
                others = (pair for pair in given if pair[0].lower() not in _OURS - kept)
                ours = (pair for pair in _ENCODED if pair[0] not in kept)
                message = {**message, "headers": [*others, *ours, *owner]}
            await send(message)

        await self._app(scope, receive, with_headers)


def _owner(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The cookie by which a browser's models are its own, for a page of the app without one.

    It outlives the browser, as they do. It has no path: the browser takes that of the page,
    whatever a proxy has put before it.
    """
    headers = Headers(scope=scope)
    is_page = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
    if not is_page or OWNER in headers.get("cookie", "") or "/hall/" in scope["path"]:
        return []
    secure = "; Secure" * (scope["scheme"] == "https")
    cookie = f"{OWNER}={secrets.token_hex(16)}; Max-Age={KNOWN}; HttpOnly; SameSite=Lax{secure}"
    return [(b"set-cookie", cookie.encode())]


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


def describe_reach() -> str:
    """One line: only this machine, or everybody in the network, and at which address."""
    address, port = config.get_option("server.address") or "", config.get_option("server.port")
    if is_local(address):
        return (
            f"Only this machine can open it, at http://localhost:{port} "
            "(everybody in the network: make app ADDRESS=0.0.0.0)."
        )
    return (
        f"Everybody in the network can open it, at http://{network_host()}:{port} "
        "(only this machine: make app ADDRESS=127.0.0.1)."
    )


def network_host() -> str:
    """The host under which others in the network find a server that listens for them."""
    address = config.get_option("server.address") or ""
    return host_in_url(address if address not in ("", "0.0.0.0", "::") else own_address())


def listens_beyond() -> bool:
    """Whether others than this machine can reach the server."""
    return not is_local(config.get_option("server.address") or "")


def base_path() -> str:
    """The path below which the server answers: "", or one such as "/glass"."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return base and f"/{base}"


def is_local(address: str) -> bool:
    """Whether an address to listen at is this machine's alone; a unix socket is, too."""
    if address == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def own_address() -> str:
    """The machine's address in its network; "<your address>" where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # RFC 5737: nobody; of UDP nothing is sent here
        except OSError:
            return "<your address>"
        return str(probe.getsockname()[0])


def host_in_url(host: str) -> str:
    """A host in a URL: an IPv6 address stands in brackets."""
    return f"[{host}]" if ":" in host else host


def gather_wake_ups() -> None:
    """Gather the wake-ups of the loop that runs in this thread, until it is closed.

    Only those that reruns ask for: whoever reads a file for a browser gets the loop at once, and
    the loop itself looks for what it is asked before it waits. A loop of another making than
    Python's own, which has its own way to be woken, is left alone.
    """
    loop: Any = asyncio.get_running_loop()
    if not hasattr(loop, "_write_to_self"):
        return
    at_once, asked, own = loop._write_to_self, threading.Event(), threading.get_ident()

    def wake() -> None:
        if threading.get_ident() == own:
            return
        if threading.current_thread().name.startswith(RERUN):
            if not asked.is_set():  # a look takes a tenth of the time
                asked.set()
        else:
            at_once()

    def watch() -> None:
        while not loop.is_closed():
            if asked.wait(IDLE):
                time.sleep(GATHER)
                asked.clear()
                at_once()

    loop._write_to_self = wake
    threading.Thread(target=watch, name="wake-ups", daemon=True).start()


class GatheredWrites:
    """A web socket's transport that writes in one piece what it is given in one turn of the loop.

    Streamlit sends some hundred messages a rerun, and each would be a call of the system.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._held = transport, list[bytes]()

    def write(self, data: bytes) -> None:
        """Writes it before the loop waits for anything."""
        if not self._held:
            asyncio.get_running_loop().call_soon(self._write_all)
        self._held.append(data)

    def close(self) -> None:
        """Closes it behind what was written."""
        self._write_all()
        self._transport.close()

    def _write_all(self) -> None:
        data = b"".join(self._held)
        self._held.clear()
        if data and not self._transport.is_closing():
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def gather_writes() -> None:
    """Gather what is written to each web socket that is opened from now on."""
    usual = WebSocketsSansIOProtocol.connection_made

    def made(protocol: WebSocketsSansIOProtocol, transport: asyncio.BaseTransport) -> None:
        usual(protocol, transport)
        protocol.transport = GatheredWrites(protocol.transport)  # type: ignore[assignment]

    WebSocketsSansIOProtocol.connection_made = made  # type: ignore[method-assign, assignment]

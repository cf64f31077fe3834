"""Who is let in: which proxies are believed, which names this server answers to, how many come.

Of its connections one client has a share, and those that say nothing go first: whoever opens many
and is silent keeps nobody out.
"""

import asyncio
import errno
import ipaddress
import re
import socket
import sys
import time
from collections import Counter
from functools import cache
from importlib import import_module
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from glassformer.app.session.languages import language_of
from glassformer.app.words import say
from glassformer.core.settings import read_settings

OWN_PROXIES = ("127.0.0.1", "::1")  # on this machine: always believed
FORWARDED = b"x-forwarded-"
HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?", re.ASCII)
FILES = (65_536, 10_240)  # that may be open at once; macOS takes the second
RESERVE = 192  # of them for all that is no connection
MOST, LEAST = 4096, 48  # connections
SHARE = 0.75  # of them, that one client may have
SILENT = 10.0  # seconds that a connection may take to its first request
FIRST_WORD = 30.0  # the same of a web socket: a browser asks for its page at once
SAID_EVERY = 60.0  # seconds between two lines that files have run out
PROTOCOLS = (
    "http.h11_impl.H11Protocol", "http.httptools_impl.HttpToolsProtocol",
    "websockets.websockets_sansio_impl.WebSocketsSansIOProtocol",
)  # fmt: skip


def client_of(scope: Scope) -> str:
    """The client of a request, as it is counted: an address, of IPv6 its household's network."""
    host = (scope.get("client") or ("",))[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return str(host)
    if isinstance(found, ipaddress.IPv6Address):
        own = found.ipv4_mapped
        return str(own or ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)


class Proxies:
    """ASGI middleware: what proxies forward of their clients counts, what others claim does not.

    Believed are those of this machine and of `GLASSFORMER_PROXIES`; the server has already put in
    the client of the former, without a port.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        given = read_settings().proxies
        trusted: Any = "*" if "*" in given else [*OWN_PROXIES, *given]
        self._believing: Any = ProxyHeadersMiddleware(app, trusted)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        host, port = scope.get("client") or ("", 0)
        if not port or host in self._believing.trusted_hosts:
            await self._believing(scope, receive, send)
            return
        kept = [each for each in scope["headers"] if not each[0].startswith(FORWARDED)]
        await self._app({**scope, "headers": kept}, receive, send)


class Hosts:
    """ASGI middleware: a request for a name that is not this server's is refused.

    A page of another site may have its own name point here (DNS rebinding); an address it cannot
    take, and the names of this machine and those of `GLASSFORMER_HOSTS` are known.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "localhost")  # a browser always says it
        if _is_known(host) or await run_in_threadpool(_is_own, host):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            language = language_of(headers.get("accept-language", ""))
            name = name_of(host)[:80]
            text = say("errors.host_foreign", language, given=name)
            await PlainTextResponse(text, 421)(scope, receive, send)


class FirstWord:
    """ASGI middleware: a web socket that says nothing goes again: no session stands idle."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or one connection."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        heard = 0  # messages: that it connects, and its first word

        async def in_time() -> Message:
            nonlocal heard
            heard += 1
            if heard != 2:
                return await receive()
            try:
                return await asyncio.wait_for(receive(), FIRST_WORD)
            except TimeoutError:
                await send({"type": "websocket.close", "code": 1008})
                return {"type": "websocket.disconnect", "code": 1008}

        await self._app(scope, in_time, send)


def name_of(host: str) -> str:
    """The name or address of a Host header, without port and brackets; "" for what is none."""
    found = HOST.fullmatch(host.strip())
    return found[1].strip("[]").lower().rstrip(".") if found else ""


def _is_known(host: str) -> bool:
    """Whether it is an address, or a name that was told."""
    name = name_of(host)
    told = (*read_settings().hosts, *config.get_option("server.allowedHosts"))
    if "*" in told or name == "localhost" or name.endswith(".localhost"):
        return True
    if any(name == each or (each[:2] == "*." and name.endswith(each[1:])) for each in told):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_own(host: str) -> bool:
    return name_of(host) in _own_names()


@cache
def _own_names() -> frozenset[str]:
    """What this machine is called; the network is asked for it, which may take a while."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return frozenset({name, short, f"{short}.local", socket.getfqdn().lower().rstrip(".")} - {""})


def raise_file_limit() -> int:
    """Let this process have as many files open as the system allows; how many that is."""
    if sys.platform == "win32":
        return MOST + RESERVE
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in FILES:
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            except (ValueError, OSError):  # more than the system can
                continue
            return wanted
    return MOST + RESERVE if soft == resource.RLIM_INFINITY else soft


class Connections:
    """The open connections of the server, in the order in which they came."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[Any, tuple[Any, str]] = {}  # transport: what read it at first, its client
        self._of = Counter[str]()
        self._said = -SAID_EVERY

    def opened(self, protocol: Any) -> None:
        """One has come: where there are too many, a silent one goes, or this one."""
        transport, client = protocol.transport, client_of({"client": protocol.client})
        self._open[transport] = protocol, client
        self._of[client] += 1
        trusted = client in (*OWN_PROXIES, *read_settings().proxies)
        if len(self._open) > self.most:
            silent = (each for each in self._open if self._is_silent(each))
            next(silent, transport).abort()
        elif not trusted and self._of[client] > SHARE * self.most:
            transport.abort()
        asyncio.get_running_loop().call_later(SILENT, self._end_silent, transport)

    def closed(self, transport: Any) -> None:
        """One has gone."""
        _, client = self._open.pop(transport, (None, None))
        if client is not None:
            self._of[client] -= 1
            self._of += Counter()  # without those that have none

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The loop's handler of errors: that files have run out is said once, not at each try."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            sys.stderr.write("No more files can be opened: raise the limit (ulimit -n).\n")

    def _is_silent(self, transport: Any) -> bool:
        """Whether nothing has been asked; a web socket is read by another protocol."""
        protocol, _ = self._open.get(transport, (None, ""))
        reads = protocol is not None and transport.get_protocol() is protocol
        return bool(reads and protocol.cycle is None and not transport.is_closing())

    def _end_silent(self, transport: Any) -> None:
        if self._is_silent(transport):
            transport.abort()


def watch_connections(most_files: int) -> Connections:
    """From now on the server's connections are bounded. Call it before it listens.

    The server (uvicorn) has no setting for it: its protocols tell what comes and goes.
    """
    found = Connections(max(LEAST, min(MOST, most_files - RESERVE)))
    for path in PROTOCOLS:
        module, _, name = path.rpartition(".")
        try:
            _watch(getattr(import_module(f"uvicorn.protocols.{module}"), name), found)
        except ImportError:
            continue  # one of several, and not installed
    return found


def _watch(kind: Any, connections: Connections) -> None:
    made, lost = kind.connection_made, kind.connection_lost

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        if transport not in connections._open:  # a web socket's was open before
            connections.opened(self)

    def connection_lost(self: Any, error: Exception | None) -> None:
        lost(self, error)
        connections.closed(self.transport)

    kind.connection_made, kind.connection_lost = connection_made, connection_lost

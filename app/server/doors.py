"""Who is let in: which proxies are believed, which names this server answers to, how many come.

Of its connections one client has a share, and those that nothing is done for go first, then one of
whoever has most: whoever opens many, from several addresses, too, keeps nobody out.
"""

import asyncio
import errno
import ipaddress
import re
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import itemgetter
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


def _believing(app: ASGIApp) -> Any:
    """What puts in the client that a trusted proxy names."""
    given = read_settings().proxies
    trusted: Any = "*" if "*" in given else [*OWN_PROXIES, *given]
    return ProxyHeadersMiddleware(app, trusted)  # type: ignore[arg-type]


class Proxies:
    """ASGI middleware: what proxies forward of their clients counts, what others claim does not.

    Believed are those of this machine and of `GLASSFORMER_PROXIES`; the server has already put in
    the client of the former, without a port.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._believing = app, _believing(app)

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
    """ASGI middleware: a web socket that says nothing goes again: no session stands idle.

    So does one that says text: the app's messages are bytes, and Streamlit fails over another.
    """

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
            try:
                told = await asyncio.wait_for(receive(), FIRST_WORD if heard == 2 else None)
            except TimeoutError:
                told = {"type": "websocket.receive"}
            if told["type"] != "websocket.receive" or told.get("bytes") is not None:
                return told
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


async def _nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """An app that answers nothing."""


class Connections:
    """The open connections of the server, in the order in which they came."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[Any, tuple[Any, str]] = {}  # transport: what read it at first, its client
        self._of = Counter[str]()
        self._proxies = _believing(_nothing).trusted_hosts
        self._said = -SAID_EVERY

    def opened(self, protocol: Any) -> None:
        """One has come: where there are too many, one goes that waits, or of who has most."""
        transport, host = protocol.transport, (protocol.client or ("",))[0]
        client = "" if host in self._proxies else client_of({"client": protocol.client})
        others = list(self._open)
        self._open[transport] = protocol, client
        self._of.update([client] if client else [])  # a proxy's are many people's
        if len(others) >= self.most:
            (self._waiting(others) or self._crowding() or transport).abort()
        elif self._of[client] > SHARE * self.most:
            own = [each for each in others if self._open[each][1] == client]
            (self._waiting(own) or transport).abort()
        asyncio.get_running_loop().call_later(SILENT, self._end_silent, transport)

    def _waiting(self, some: Iterable[Any]) -> Any:
        """The first that is silent, else the first that nothing is done for; None without one."""
        idle = None
        for each in some:
            if self._is_silent(each):
                return each
            idle = idle or (each if self._is_idle(each) else None)
        return idle

    def _crowding(self) -> Any:
        """The oldest of the client with most; None where each has one."""
        client, count = max(self._of.items(), key=itemgetter(1), default=("", 0))
        of_client = (each for each, (_, own) in self._open.items() if own == client)
        return next(of_client) if count > 1 else None

    def closed(self, transport: Any) -> None:
        """One has gone."""
        _, client = self._open.pop(transport, (None, ""))
        if client:
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
        """Whether nothing has been asked."""
        protocol = self._reader(transport)
        return protocol is not None and protocol.cycle is None

    def _is_idle(self, transport: Any) -> bool:
        """Whether it was answered, or neither sends what it began nor takes what it asked for."""
        protocol = self._reader(transport)
        if protocol is None or protocol.cycle is None:
            return False
        cycle = protocol.cycle
        return bool(cycle.response_complete or cycle.more_body or protocol.flow.write_paused)

    def _reader(self, transport: Any) -> Any:
        """What reads its requests; None for a web socket, and for one that goes."""
        protocol, _ = self._open.get(transport, (None, ""))
        reads = protocol is not None and transport.get_protocol() is protocol
        return protocol if reads and not transport.is_closing() else None

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
        is_new = transport not in connections._open  # a web socket's was open before
        _send_at_once(transport, is_new)
        if is_new:
            connections.opened(self)

    def connection_lost(self: Any, error: Exception | None) -> None:
        lost(self, error)
        connections.closed(self.transport)

    kind.connection_made, kind.connection_lost = connection_made, connection_lost


def _send_at_once(transport: Any, at_once: bool) -> None:
    """No file waits until the browser has said that it has the piece before: 40 ms.

    Python asks the same of the system, but not for a socket that is bound as Streamlit does it.
    at_once: not for a web socket; the many pieces of a rerun would each be drawn by itself.
    """
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):  # it is gone already
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, at_once)

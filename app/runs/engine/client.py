"""An engine over HTTP: Ray Serve's proxy. A front needs no Ray for it, and outlives its head."""

import select
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from glassformer import __version__
from glassformer.app.runs.engine.packing import unpack_value
from glassformer.app.runs.engine.requests import ModelAddress, Request
from glassformer.app.runs.engine.runner import EngineAwayError, QueueFullError, WorkerDiedError
from glassformer.core.interruption import idle

PORT = 8000  # Ray Serve's own
CONNECT = 3.0  # seconds
STALLS = 30.0  # seconds without a byte of an answer that has begun
LOOK = 0.1  # seconds between two looks at whether an answer is still wanted
KEPT = 8  # connections that are kept open
MODEL_HEADER = "serve_multiplexed_model_id"


class HttpEngine:
    """The engine at an address: ray://host[:port], http:// or https://."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else PORT)
        self._idle = list[HTTPConnection]()

    def call(self, request: Request, address: ModelAddress) -> tuple[Any, ...]:
        """What `Computer.answer` gives. Errors: as `Remote.call`."""
        step = f"@{request.key.step}" if request.key.step else ""
        body = request.sent_to(address).to_json(__version__)
        answer = self.post("/ask", body, {MODEL_HEADER: address.text + step})
        try:
            found: tuple[Any, ...] = unpack_value(answer)
        except ValueError as error:
            raise EngineAwayError(str(error)) from error
        return found

    def post(self, path: str, body: bytes, headers: dict[str, str] | None = None) -> bytes:
        """The bytes of an answer. Errors: as `Remote.call`."""
        connection = self._connection()
        try:
            connection.request("POST", path, body, headers or {})
            while not select.select([connection.sock], [], [], LOOK)[0]:
                idle()
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise EngineAwayError(str(error) or type(error).__name__) from error
        except BaseException:
            connection.close()  # it is not wanted any more, and the worker hears it
            raise
        if len(self._idle) < KEPT:
            self._idle.append(connection)
        else:
            connection.close()
        _check(answer, data)
        return data

    def close(self) -> None:
        """Closes the connections that wait for a next call."""
        while self._idle:
            self._idle.pop().close()

    def _connection(self) -> HTTPConnection:
        try:
            while True:
                found = self._idle.pop()
                # One that can be read while nothing was asked was closed at the other end.
                if found.sock is not None and not select.select([found.sock], [], [], 0)[0]:
                    return found
                found.close()
        except IndexError:
            return self._open()

    def _open(self) -> HTTPConnection:
        found = self._kind(*self._place, timeout=CONNECT)
        try:
            found.connect()
        except OSError as error:
            raise EngineAwayError(str(error)) from error
        found.sock.settimeout(STALLS)
        return found


def _check(answer: HTTPResponse, data: bytes) -> None:
    if answer.status == 429:
        raise QueueFullError
    if answer.status == 503:
        raise EngineAwayError(data[:200].decode(errors="replace"))
    if answer.status != 200:
        raise WorkerDiedError(answer.status)

"""A lecture with a question of each kind, rooms for it, and the hall's routes on a port."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from streamlit import config

from glassformer.app.hall import rooms, routes
from glassformer.app.hall.rooms import Room
from glassformer.app.server.doors import Hosts, Proxies
from glassformer.app.server.network import SecurityHeaders
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import read_lecture

WELCOME, WORD, NUMBER, CHOICE = range(4)  # its scenes


def lecture() -> Lecture:
    return read_lecture(Path(__file__).with_name("lecture.toml").read_bytes())


def wait_for_runs() -> None:
    """Until what rooms compute in threads is there."""
    for thread in threading.enumerate():
        if thread.name == "scenes":
            thread.join()


def open_room(language: str = "en") -> Room:
    """A room whose runs are all computed."""
    found = rooms.open_room(lecture(), language)
    wait_for_runs()
    return replace(now(found), key=found.key)


def open_at(url: str, given: Lecture | None = None, language: str = "en") -> Room:
    """A room of a server that runs in another process: the store is the same file."""
    before = config.get_option("server.port")
    config.set_option("server.port", int(url.rpartition(":")[2]))
    try:
        found = rooms.open_room(given or lecture(), language)
        wait_for_runs()
        return found
    finally:
        config.set_option("server.port", before)


def now(room: Room) -> Room:
    found = rooms.find_room(room.code)
    assert found is not None
    return found


@contextmanager
def served() -> Iterator[str]:
    """The hall's routes on a free port, in a thread of this process; its URL."""

    @asynccontextmanager
    async def running(_app: Starlette) -> AsyncIterator[None]:
        async with routes.hall_lifespan():
            yield

    middleware = [Middleware(each) for each in (Proxies, SecurityHeaders, Hosts)]
    app = Starlette(routes=routes.hall_routes(), lifespan=running, middleware=middleware)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        routes.HUB.close()
        server.should_exit = True
        thread.join()


@dataclass
class Answer:
    status: int
    body: bytes
    headers: Any

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def said(self) -> str:
        """The sentence of a refusal, in English."""
        return str(self.json["text"]["en"])


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


OPENER = urllib.request.build_opener(_Stays)


@dataclass
class Client:
    """One browser without a screen: a room's address, a cookie, a key where it drives."""

    url: str
    key: str = ""
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, path: str = "", data: Any = None, method: str | None = None) -> Answer:
        """data: bytes as they are, anything else as JSON."""
        headers = dict(self.headers)
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.cookie:
            headers["Cookie"] = self.cookie
        body = data if isinstance(data, bytes | None) else json.dumps(data).encode()
        asked = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            with OPENER.open(asked, timeout=60) as found:
                answer = Answer(found.status, found.read(), found.headers)
        except urllib.error.HTTPError as error:
            answer = Answer(error.code, error.read(), error.headers)
        if given := answer.headers.get("Set-Cookie"):
            self.cookie = given.partition(";")[0]
        return answer

    def vote(self, scene: int, value: Any) -> Answer:
        return self.ask("/vote", {"scene": scene, "value": value})

    @contextmanager
    def events(self) -> Iterator[Iterator[tuple[str, Any]]]:
        """What the stream says, each as its kind ("", "ended", "beat" …) and its data."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        asked = urllib.request.Request(self.url + "/events", headers=headers | self.headers)
        with OPENER.open(asked, timeout=30) as stream:
            yield _events(stream)


def _events(stream: Any) -> Iterator[tuple[str, Any]]:
    kind = ""
    for raw in stream:
        line = raw.decode().rstrip("\n")
        if line.startswith(":"):
            yield "beat", None
        elif line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))
            kind = ""

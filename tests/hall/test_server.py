"""The whole server: what it says at its start, killed and started again, ended with followers."""

import os
import re
import shlex
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from glassformer.app.hall import keys, rooms
from tests.browser import driver
from tests.cluster.clusters import boot_of
from tests.hall.halls import CHOICE, Client, lecture, open_at

pytestmark = pytest.mark.slow


def test_a_killed_server_goes_on_where_it_was(folder: Path) -> None:
    with driver.server(GLASSFORMER_HALL_FOLDER=str(folder)) as server:
        port = int(server.url.rpartition(":")[2])
        room = open_at(server.url)
        own = Client(f"{server.url}/hall/{room.code}", room.key)
        phones = [Client(own.url) for _ in range(3)]
        own.ask("/move", {"scene": CHOICE})
        for vote, phone in enumerate(phones):
            assert phone.ask().status == 200 and phone.vote(CHOICE, vote % 2).status == 200
        os.kill(server.pid, signal.SIGKILL)
        os.waitpid(server.pid, 0)
        with pytest.raises(urllib.error.URLError):
            phones[0].ask("/state")
    with driver.server(port, GLASSFORMER_HALL_FOLDER=str(folder)):
        state = own.ask("/state").json
        assert state["scene"] == CHOICE and state["votes"]["voted"] == 3
        assert phones[0].vote(CHOICE, 1).status == 200  # the cookie is known; the vote is changed
        own.ask("/reveal", {})
        bars = phones[1].ask("/state").json["result"]["bars"]
        assert [bar["count"] for bar in bars] == [1, 2, 0]
        assert sum(bar["truth"] for bar in bars) == 1


def test_a_server_that_is_told_to_end_does_not_wait_for_followers(folder: Path) -> None:
    with driver.server(GLASSFORMER_HALL_FOLDER=str(folder)) as server:
        room = open_at(server.url)
        with Client(f"{server.url}/hall/{room.code}").events() as events:
            next(events)
            os.kill(server.pid, signal.SIGTERM)
            assert [kind for kind, _ in events] == []  # the stream ends
            os.waitpid(server.pid, 0)  # it ends by itself


def test_a_front_that_ends_lets_its_followers_go_to_another(folder: Path) -> None:
    with driver.server(GLASSFORMER_HALL_FOLDER=str(folder)) as server:
        boot_of(server.url)  # a balancer asks, and hears of the end before anybody is cut off
        room = open_at(server.url)
        own = Client(f"{server.url}/hall/{room.code}")
        with own.events() as events:
            next(events)
            os.kill(server.pid, signal.SIGTERM)
            while Client(server.url).ask("/ready").status == 200:
                pass
            assert own.ask().status == 200
            assert [kind for kind, _ in events if kind != "beat"] == []
        os.waitpid(server.pid, 0)


@contextmanager
def few_files(most: int) -> Iterator[None]:
    """What is started inside may have so many files open, as with `ulimit -Sn`, until it asks."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1024:
        pytest.skip("this system allows no more files than a crowd needs")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connected(url: str, count: int, source: str = "") -> list[socket.socket]:
    place = urlsplit(url)
    assert place.hostname and place.port
    host, own = ("127.0.0.1", (source, 0)) if source else (place.hostname, None)
    return [socket.create_connection((host, place.port), source_address=own) for _ in range(count)]


def test_a_hall_follows_where_few_files_are_allowed_at_first(folder: Path) -> None:
    with ExitStack() as held:
        with few_files(256):
            server = held.enter_context(driver.server(GLASSFORMER_HALL_FOLDER=str(folder)))
        room = open_at(server.url)
        path = urlsplit(f"{server.url}/hall/{room.code}/events").path
        asked = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        followers = connected(server.url, 300)
        for each in followers:
            held.enter_context(each)
            each.sendall(asked)
        for each in followers:
            each.settimeout(20)
            told = b""
            while b"data: " not in told:
                told += each.recv(65536)
        assert "files" not in server.log()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[driver.Server]:
    """A server with soft and hard limit alike: it cannot ask for more files than these."""
    command = f'ulimit -n 300 && exec {shlex.quote(sys.executable)} "$@"'
    folder = str(tmp_path_factory.mktemp("rooms"))
    with driver.server(shell=command, GLASSFORMER_HALL_FOLDER=folder) as running:
        yield running


def test_one_client_that_is_silent_keeps_nobody_out(narrow: driver.Server) -> None:
    with ExitStack() as held:
        for each in connected(narrow.url, 400):
            held.enter_context(each)
        for _ in range(3):
            with urllib.request.urlopen(f"{narrow.url}/hall/", timeout=5) as page:
                assert page.status == 200
        assert len(narrow.log()) < 10_000


ASKS = b"GET /hall/ HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere this machine has one address alone")
def test_several_who_are_slow_keep_nobody_out(narrow: driver.Server) -> None:
    """Each was answered once and takes its time with the next request, from two addresses."""
    with ExitStack() as held:
        for source, count in (("127.0.0.2", 100), ("127.0.0.3", 40)):
            for each in connected(narrow.url, count, source):
                held.enter_context(each)
                each.settimeout(5)
                with suppress(OSError):  # it had to go
                    each.sendall(ASKS)
                    each.recv(65536)
                    each.sendall(b"GET /hall/")
        for source in ("127.0.0.2", "127.0.0.9") * 2:
            (phone,) = connected(narrow.url, 1, source)
            held.enter_context(phone).settimeout(5)
            phone.sendall(ASKS)
            assert phone.recv(65536).startswith(b"HTTP/1.1 200")


def test_who_listens_to_everybody_is_told_the_presenters_key(folder: Path) -> None:
    options = {"GLASSFORMER_HALL_FOLDER": str(folder), "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}
    with driver.server(**options) as server:
        said = server.log()
        assert re.search(r"asked for this key: [A-Z2-9]{4}-[A-Z2-9]{4}", said), said
        assert said.index("Everybody in the network") < said.index("asked for this key")
        with urllib.request.urlopen(f"{server.url}/hall/") as page:
            assert page.status == 200


def test_two_servers_that_share_a_store_are_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Postgres they may stand on two machines. This process is a third front."""
    if kind == "sqlite":
        monkeypatch.setenv("GLASSFORMER_STORE", str(tmp_path / "own.sqlite3"))
    with driver.server(GLASSFORMER_HALL="key") as one, driver.server(GLASSFORMER_HALL="key") as two:
        drawn = {re.search("this key: ([-A-Z2-9]{9})", each.log()) for each in (one, two)}
        assert {found and found[1] for found in drawn} == {keys.presenter_key()}
        room = rooms.open_room(lecture(), "en", keys.presenter_key())
        places = [f"{each.url}/hall/{room.code}" for each in (one, two)]
        phones = [Client(places[at % 2]) for at in range(40)]
        assert [phone.ask().status for phone in phones] == [200] * 40
        here, there = (Client(place, room.key) for place in places)
        with phones[1].events() as events:
            next(events)
            start = time.monotonic()
            assert here.ask("/move", {"scene": CHOICE}).status == 200
            assert next(told for _, told in events if told and told["scene"] == CHOICE)
            print(f"seen on the other server after {time.monotonic() - start:.3f} s")  # noqa: T201
            follows = there.ask("/state").json["followers"], here.ask("/state").json["followers"]
        assert follows[0] == 1, follows
        for at, phone in enumerate(phones):
            phone.url = places[(at + at // 2) % 2]  # a cookie of one is known on the other
            assert phone.vote(CHOICE, at % 2).status == 200
        assert there.ask("/reveal", {}).status == 200
        for each in (here, there):
            bars = each.ask("/state").json["result"]["bars"]
            assert [bar["count"] for bar in bars] == [20, 20, 0]
        os.kill(one.pid, signal.SIGKILL)
        os.waitpid(one.pid, 0)
        assert there.ask("/move", {"scene": 0}).status == 200

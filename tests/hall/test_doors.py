"""Who is let in: codes that are guessed, places in the hall, a file that another holds."""

import asyncio
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
import uvicorn
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_server import _bind_socket
from uvicorn.protocols.http.h11_impl import H11Protocol

from glassformer.app.hall import hub, keys, rooms, routes, votes
from glassformer.app.hall.rooms import Room
from glassformer.app.server import doors
from glassformer.app.server.doors import FirstWord, Hosts, Proxies, client_of
from glassformer.app.stores import schema, sqlite, store
from tests.hall.halls import CHOICE, Client
from tests.visitor import run


def wrong(url: str, number: int) -> int:
    letters = "".join(rooms.LETTERS[int(digit)] for digit in f"{number:06d}")
    return Client(f"{url}/hall/{letters}").ask().status


def test_no_room_mate_is_locked_out(monkeypatch: pytest.MonkeyPatch, url: str, room: Room) -> None:
    """All come from one address and are strangers to the server: no cookie, no key."""
    monkeypatch.setattr(keys, "PAUSE", 0.01)
    with ThreadPoolExecutor(20) as many:
        guessed = list(many.map(lambda each: wrong(url, each), range(100)))
    assert guessed == [404] * 100
    right = [Client(f"{url}/hall/{room.code}").ask().status for _ in range(40)]
    assert right == [200] * 40


def test_wrong_codes_hold_up_the_next(url: str) -> None:
    start = time.monotonic()
    with ThreadPoolExecutor(20) as many:
        list(many.map(lambda each: wrong(url, each), range(keys.WRONG + 20)))
    assert time.monotonic() - start > 18 * keys.PAUSE


def test_in_a_flood_of_guesses_the_picture_of_the_code_opens(
    monkeypatch: pytest.MonkeyPatch, url: str, room: Room
) -> None:
    phone = Client(f"{url}/hall/{room.code}")
    assert phone.ask().status == 200
    monkeypatch.setattr(keys, "PAUSE", 600.0)
    monkeypatch.setattr(keys, "MOST_WAITING", 0)
    assert [wrong(url, each) for each in range(keys.WRONG + 2)] == [404] * (keys.WRONG + 1) + [429]
    stranger = Client(phone.url)
    assert stranger.ask("/state").said.startswith("Very many codes are being tried")
    assert stranger.ask("?k=0000000000").status == stranger.ask("?k=%E4%B8%AD").status == 429
    assert Client(phone.url).ask(f"?k={keys.ticket(room.secret)}").status == 200  # as it is scanned
    assert phone.ask("/state").status == 200 and Client(phone.url, room.key).ask("/lecture").json


@pytest.mark.parametrize("given", ["中文", "---", "%00", "🎓", "%ff%fe"])
def test_a_code_in_other_letters_is_a_wrong_one(url: str, given: str) -> None:
    answer = Client(url).ask(f"/hall/?code={quote(given, safe='%')}")
    assert answer.status == 404 and b"There is no room" in answer.body
    assert Client(url).ask(f"/hall/?code={quote('ａｂＣ')}").headers["Location"] == "ABC"


@pytest.mark.parametrize("scene", ["9" * 30, "9" * 5000, "-1", "x", "%00", "%C2%B2", "1.5"])
def test_a_picture_of_no_scene(url: str, room: Room, scene: str) -> None:
    assert Client(f"{url}/hall/{room.code}").ask(f"/picture/{scene}").status == 404


def test_one_client_does_not_take_all_places(
    monkeypatch: pytest.MonkeyPatch, url: str, room: Room
) -> None:
    monkeypatch.setattr(hub, "MOST_OF_CLIENT", 5)
    monkeypatch.setattr(hub, "MOST_UNKNOWN", 2)
    phones = [Client(f"{url}/hall/{room.code}") for _ in range(2)]
    unknown = Client(phones[0].url)
    assert [phone.ask().status for phone in phones] == [200, 200]
    with ExitStack() as held:

        def take(client: Client) -> None:
            client.headers = {"Cookie": client.cookie} if client.cookie else {}
            next(held.enter_context(client.events()))

        take(unknown), take(unknown)
        assert unknown.ask("/events").status == 503  # whoever has a cookie has a place of the rest
        take(phones[0]), take(phones[0]), take(phones[1])
        assert phones[1].ask("/events").status == 503
        monkeypatch.setattr(hub, "MOST_FOLLOWERS", 5)
        driver = Client(phones[0].url, room.key)
        with driver.events() as own:  # its place is kept
            assert next(own)[1]["followers"] == 5


def test_one_cookie_has_a_few_places(url: str, room: Room) -> None:
    phone = Client(f"{url}/hall/{room.code}")
    phone.ask()
    phone.headers = {"Cookie": phone.cookie}
    with ExitStack() as held:
        for _ in range(hub.MOST_OF_VOTER):
            next(held.enter_context(phone.events()))
        assert phone.ask("/events").status == 503


@contextmanager
def another_writes(folder: Path) -> Iterator[None]:
    """Another process has the file for itself."""
    (file,) = folder.glob("*.sqlite3")
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin exclusive")
    try:
        yield
    finally:
        other.rollback()
        other.close()


def test_a_file_that_another_holds_stops_nobody_who_reads(
    url: str, room: Room, folder: Path
) -> None:
    driver, phone = (Client(f"{url}/hall/{room.code}", key) for key in (room.key, ""))
    phone.ask(), driver.ask("/move", {"scene": CHOICE})
    statuses = []
    with another_writes(folder):
        voting = threading.Thread(target=lambda: statuses.append(phone.vote(CHOICE, 1).status))
        voting.start()
        time.sleep(0.3)
        start = time.monotonic()
        assert [phone.ask("/state").status for _ in range(5)] == [200] * 5
        assert time.monotonic() - start < sqlite.BUSY / 2 and statuses == []
    voting.join()
    assert statuses == [200] and votes.count_votes(room, CHOICE) == {1: 1}


def test_a_file_that_another_keeps_is_told(url: str, room: Room, folder: Path) -> None:
    driver, phone = (Client(f"{url}/hall/{room.code}", key) for key in (room.key, ""))
    phone.ask(), driver.ask("/move", {"scene": CHOICE})
    store.open_store().ask("pragma busy_timeout = 100")
    with another_writes(folder):
        told = phone.vote(CHOICE, 1)
        assert told.status == 503 and "Another program holds" in told.said
        assert driver.ask("/move", {"scene": 0}).status == 503
    assert phone.vote(CHOICE, 1).status == 200


def test_rooms_are_looked_after_when_another_held_the_file_at_the_start(
    monkeypatch: pytest.MonkeyPatch, room: Room, folder: Path
) -> None:
    monkeypatch.setattr(routes, "TURN", 0.02)
    store.open_store().ask("pragma busy_timeout = 20")
    before = rooms.clock_time()
    store.open_store().ask("update rooms set seen = ?", before - rooms.AWAY - 60)  # left at a stop

    async def turns() -> None:
        with another_writes(folder):
            looking = asyncio.create_task(routes._turns())
            await asyncio.sleep(0.3)
        await asyncio.sleep(0.5)
        assert not looking.done()
        looking.cancel()

    run(turns())
    assert rooms.find_room(room.code) is not None  # its presenter has a while to come back


def test_a_full_disk_is_told(url: str, room: Room) -> None:
    driver = Client(f"{url}/hall/{room.code}", room.key)
    ((pages,),) = store.open_store().ask("pragma page_count")
    store.open_store().ask(f"pragma max_page_count = {pages}")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(150_000)
    told = driver.ask("/picture/1", picture, "PUT")
    assert told.status == 507 and "cannot be written" in told.said
    assert driver.ask("/state").status == 200


def test_a_file_of_before_has_its_votes_counted(tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    with sqlite3.connect(old) as db:
        db.executescript(schema.ROOMS.replace(", client text not null default ''", ""))
    held = sqlite.SqliteStore(old)
    assert "client" in [row[1] for row in held.ask("pragma table_info(votes)")]
    held.close()


def test_a_file_of_before_is_brought_up_by_all_who_come_at_once(tmp_path: Path) -> None:
    without = schema.ROOMS.replace(", client text not null default ''", "")
    without = without.replace("short integer not null default 0, shown integer, ", "")
    with ThreadPoolExecutor(4) as fronts:
        for number in range(40):
            old = tmp_path / f"{number}.sqlite3"
            with closing(sqlite3.connect(old)) as db:
                db.executescript(without)
            for held in fronts.map(sqlite.SqliteStore, [old] * 4):
                assert held.ask("select client, short, shown from votes, rooms") == []
                held.close()


def called(middleware: Any, scope: Scope) -> tuple[Scope | None, list[Message]]:
    """What the app behind a middleware is asked, None for nothing, and what is answered."""
    asked, sent = list[Scope](), list[Message]()

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(scope)

    async def nothing() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    run(middleware(app)(scope, nothing, send))
    return (asked or [None])[0], sent


def scope(client: str = "203.0.113.9", kind: str = "http", **headers: str) -> Any:
    given = {"host": "localhost", **headers}
    found = {name.replace("_", "-"): value for name, value in given.items()}
    return {
        "type": kind, "method": "GET", "path": "/", "query_string": b"", "scheme": "http",
        "client": (client, 50000), "headers": [(a.encode(), b.encode()) for a, b in found.items()],
    }  # fmt: skip


FORWARDED = {
    "x_forwarded_for": "198.51.100.7", "x_forwarded_proto": "https",
    "x_forwarded_host": "a.example",
}  # fmt: skip


@pytest.mark.parametrize("client", ["10.0.0.5", "10.1.2.3", "127.0.0.1"])
def test_the_proxies_that_are_named_are_believed(
    monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    monkeypatch.setenv("GLASSFORMER_PROXIES", "10.0.0.5, 10.1.0.0/16")
    found, _ = called(Proxies, scope(client, **FORWARDED))
    assert found and found["client"][0] == "198.51.100.7" and found["scheme"] == "https"
    assert Headers(scope=found)["x-forwarded-host"] == "a.example"


def test_what_others_claim_of_themselves_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_PROXIES", "10.0.0.5")
    found, _ = called(Proxies, scope(**FORWARDED))
    assert found and found["client"][0] == "203.0.113.9" and found["scheme"] == "http"
    assert list(Headers(scope=found)) == ["host"]


def test_a_household_is_one_client() -> None:
    assert client_of(scope("2001:db8::1")) == client_of(scope("2001:db8::ffff:2"))
    assert client_of(scope("2001:db8::1")) != client_of(scope("2001:db8:0:1::1"))
    assert (
        client_of(scope("::ffff:192.0.2.1")) == "192.0.2.1" and client_of(scope("unix")) == "unix"
    )


OWN = ("localhost", "localhost:8501", "app.localhost", "127.0.0.1:80", "[::1]:8501", "192.168.0.7",
       "[2001:db8::1]", socket.gethostname(), f"{socket.gethostname()}:8501")  # fmt: skip


@pytest.mark.parametrize("host", OWN)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_addresses_and_names_of_this_machine_are_answered(host: str, kind: str) -> None:
    found, sent = called(Hosts, scope(kind=kind, host=host))
    assert found and not sent


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b", "x" * 99],
)
def test_a_name_that_another_points_here_is_refused(host: str) -> None:
    found, sent = called(Hosts, scope(host=host, accept_language="zh-CN"))
    assert found is None and sent[0]["status"] == 421 and "不以" in sent[1]["body"].decode()
    found, sent = called(Hosts, scope(kind="websocket", host=host))
    assert found is None and sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    ("told", "host"),
    [("Hall.Example", "hall.example:443"), ("x, *.hall.example.", "a.b.hall.example"), ("*", "y")],
)
def test_a_name_of_its_own_is_told(monkeypatch: pytest.MonkeyPatch, told: str, host: str) -> None:
    assert called(Hosts, scope(host=host))[0] is None
    monkeypatch.setenv("GLASSFORMER_HOSTS", told)
    assert called(Hosts, scope(host=host))[0] is not None


def test_a_web_socket_that_says_nothing_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "FIRST_WORD", 0.05)
    heard, sent, silent = list[str](), list[Message](), asyncio.Event

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        while not heard or heard[-1] != "websocket.disconnect":
            heard.append((await receive())["type"])

    async def send(message: Message) -> None:
        sent.append(message)

    def receiving(*messages: str, **said: Any) -> Receive:
        coming = list(messages)

        async def receive() -> Message:
            if not coming:
                await silent().wait()
            kind = coming.pop(0)
            return {"type": kind, **said} if kind.endswith("receive") else {"type": kind}

        return receive

    connects = "websocket.connect"
    run(FirstWord(app)(scope(kind="websocket"), receiving(connects), send))
    assert heard == [connects, "websocket.disconnect"] and sent[0]["type"] == "websocket.close"
    heard.clear(), sent.clear()
    kinds = connects, "websocket.receive", "websocket.receive", "websocket.disconnect"
    run(FirstWord(app)(scope(kind="websocket"), receiving(*kinds, bytes=b"", text=None), send))
    assert len(heard) == 4 and not sent
    heard.clear(), sent.clear()
    run(FirstWord(app)(scope(kind="websocket"), receiving(*kinds, text="hello"), send))
    assert heard == [connects, "websocket.disconnect"] and sent[0]["type"] == "websocket.close"


def test_bare_connections_do_not_close_the_app_to_explorers(
    monkeypatch: pytest.MonkeyPatch, url: str, room: Room
) -> None:
    sessions = [SimpleNamespace(script_run_count=0) for _ in range(2 * routes.MOST_EXPLORING)]
    manager = SimpleNamespace(list_active_sessions=lambda: sessions)
    here = SimpleNamespace(
        exists=lambda: True, get_instance=lambda: SimpleNamespace(_session_mgr=manager)
    )
    monkeypatch.setattr(routes, "runtime", here)
    phone = Client(f"{url}/hall/{room.code}")
    assert phone.ask("/open").status == 303
    for each in sessions:
        each.script_run_count = 1
    assert phone.ask("/open").status == 503


class Watched(H11Protocol):
    """Of this test alone: what is done to it is done to no other server."""


class Upgraded(asyncio.Protocol):
    """What a web socket's connection is handed over to."""


def test_no_file_waits_for_the_browser_to_confirm_the_piece_before() -> None:
    """A system that holds back small pieces until then made each file take 40 ms.

    A rerun's messages it may: drawn one by one they had a page styled three times as often.
    """
    doors._watch(Watched, connections := doors.Connections(10))
    doors._watch(Upgraded, connections)

    async def at_once() -> list[int]:
        server = uvicorn.Server(uvicorn.Config(doors._nothing, http=Watched, log_level="error"))
        listening = _bind_socket("127.0.0.1", 0, 5)  # as Streamlit's own server does
        serving = asyncio.create_task(server.serve([listening]))
        _, writer = await asyncio.open_connection(*listening.getsockname())
        while not (transports := list(connections._open)):
            await asyncio.sleep(0.01)
        found = [each.get_extra_info("socket") for each in transports]
        said = [each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for each in found]
        Upgraded().connection_made(transports[0])
        said += [each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for each in found]
        writer.close()
        server.should_exit = True
        await serving
        return said

    assert [bool(each) for each in run(at_once())] == [True, False]

"""Who is let in: codes that are guessed, places in the hall, a file that another holds."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from app.hall import hub, keys, rooms, store
from app.hall.rooms import Room
from tests.hall.halls import CHOICE, Client


def wrong(url: str, number: int) -> int:
    letters = "".join(rooms.LETTERS[int(digit)] for digit in f"{number:06d}")
    return Client(f"{url}/hall/{letters}").ask().status


def test_no_room_mate_is_locked_out(url: str, room: Room) -> None:
    """All come from one address and are strangers to the server: no cookie, no key."""
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
        assert time.monotonic() - start < store.BUSY / 2 and statuses == []
    voting.join()
    assert statuses == [200] and rooms.counts(room, CHOICE) == {1: 1}


def test_a_file_that_another_keeps_is_told(url: str, room: Room, folder: Path) -> None:
    driver, phone = (Client(f"{url}/hall/{room.code}", key) for key in (room.key, ""))
    phone.ask(), driver.ask("/move", {"scene": CHOICE})
    store.held().ask("pragma busy_timeout = 100")
    with another_writes(folder):
        told = phone.vote(CHOICE, 1)
        assert told.status == 503 and "Another program holds" in told.said
        assert driver.ask("/move", {"scene": 0}).status == 503
    assert phone.vote(CHOICE, 1).status == 200


def test_a_full_disk_is_told(url: str, room: Room) -> None:
    driver = Client(f"{url}/hall/{room.code}", room.key)
    ((pages,),) = store.held().ask("pragma page_count")
    store.held().ask(f"pragma max_page_count = {pages}")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(150_000)
    told = driver.ask("/picture/1", picture, "PUT")
    assert told.status == 507 and "cannot be written" in told.said
    assert driver.ask("/state").status == 200


def test_a_file_of_before_has_its_votes_counted(tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    with sqlite3.connect(old) as db:
        db.executescript(store.SCHEMA.replace(", client text not null default ''", ""))
    held = store.Store(old)
    assert "client" in [row[1] for row in held.ask("pragma table_info(votes)")]
    held.close()

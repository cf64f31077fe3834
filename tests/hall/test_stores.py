"""The store that fronts share: SQLite and Postgres do the same, in one process and in several."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from glassformer.app.hall import followers, keys, proposals, rooms, votes
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import schema, sqlite, store
from glassformer.core.errors import GlassformerError
from tests.architecture.sources import ROOT
from tests.hall.fronts import front, go_on, line, on, refused
from tests.hall.halls import CHOICE, NUMBER, WORD, now, open_room

BEFORE = Path(__file__).with_name("before.sql")


# Changes.


def test_a_change_that_fails_is_none(room: Room) -> None:
    here, held = on(room, CHOICE), store.open_store()
    votes.take_vote(here, CHOICE, "a", 1)

    def fail() -> None:
        with rooms.change_of(room.code) as changed:
            changed.ask("delete from votes where room = ?", room.code)
            assert votes.count_votes(here, CHOICE) == {}  # whoever changes sees it
            changed.ask("insert into asked values ('NOROOM', 0, 1, 0)")

    refused("hall_ended", fail)
    assert votes.count_votes(here, CHOICE) == {1: 1}
    with held.changing(), held.changing(room.code):
        held.ask("update rooms set black = 1")
    assert now(room).black


def test_what_belongs_to_a_room_that_has_ended_is_refused(room: Room) -> None:
    store.open_store().ask("delete from rooms where code = ?", room.code)
    refused("hall_ended", lambda: rooms.put_picture(room, 0, b"\x89PNG\r\n\x1a\n"))
    refused("hall_ended", lambda: proposals.take_proposal(room, "question", "Why?", "a", "one"))
    assert rooms.change_room(room, "black = 1") == 0


def test_a_local_change_is_not_heard_from_elsewhere(room: Room) -> None:
    heard = list[str]()
    store.open_store().watch(heard.append)
    time.sleep(0.5)  # that somebody begins to listen is one
    heard.clear()
    on(room, WORD)
    time.sleep(0.5)
    assert heard == []


def test_a_move_is_heard_on_the_other_front(room: Room, kind: str) -> None:
    """On a machine at rest after some 0.1 s with SQLite and 0.01 s with Postgres."""
    with front("hear", room.code) as other:
        assert line(other) == "ready"
        time.sleep(0.5)
        waits = list[float]()
        for scene in (WORD, NUMBER, CHOICE, WORD):
            start = time.time()
            rooms.move_to_scene(room, scene)
            while not (told := line(other)).startswith(f"{scene} "):
                assert told
            waits.append(float(told.split()[1]) - start)
    print(f"heard on the other front after {max(waits):.3f} s at most, {kind}")  # noqa: T201
    assert max(waits) < 5


@pytest.mark.slow
def test_ten_thousand_votes_of_four_fronts(kind: str) -> None:
    """In five rooms, since a room takes two thousand; a tenth of the voters vote twice."""
    held = [on(open_room(), CHOICE) for _ in range(5)]
    with ExitStack() as stack:
        votes_of = ("vote", ",".join(room.code for room in held), str(CHOICE))
        given = [front(*votes_of, str(500 * at), "500") for at in range(4)]
        fronts = [stack.enter_context(each) for each in given]
        assert [line(process) for process in fronts] == ["ready"] * 4
        start = time.monotonic()
        for process in fronts:
            go_on(process)
        assert [process.wait() for process in fronts] == [0] * 4
    print(f"10,000 voters: {time.monotonic() - start:.1f} s, {kind}")  # noqa: T201
    counts = [votes.count_votes(room, CHOICE) for room in held]
    assert counts == [{0: 667, 1: 667, 2: 666}] * 5


def test_a_front_that_is_killed_in_a_change_has_changed_nothing(room: Room) -> None:
    here = on(room, CHOICE)
    votes.take_vote(here, CHOICE, "a", 1)
    with front("hang", room.code) as other:
        assert line(other) == "ready"
        assert votes.count_votes(here, CHOICE) == {1: 1}  # who reads waits for nobody
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
    votes.take_vote(here, CHOICE, "b", 2)  # nor is anything held by it
    assert votes.count_votes(here, CHOICE) == {1: 1, 2: 1}


# What fronts have in common.


def test_all_fronts_have_one_key_and_one_secret(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    with front("key") as one, front("key") as two:
        told = line(one)
        assert line(two) == told and len(told.split()) == 2
    assert keys.presenter_key() == told.split()[0]
    monkeypatch.setenv("GLASSFORMER_HALL", "key")
    keys.check_key(told.split()[0].lower())
    refused("hall_key", lambda: keys.check_key("AAAA-AAAA"))


def test_a_key_lasts_as_long_as_there_are_fronts(monkeypatch: pytest.MonkeyPatch) -> None:
    held, first = store.open_store(), keys.presenter_key()
    start = held.clock()
    for hour in (20, 40, 60):
        monkeypatch.setattr(held, "clock", lambda hour=hour: start + 3600 * hour)
        assert keys.presenter_key() == first
        store.keep_shared_values()
    monkeypatch.setattr(held, "clock", lambda: start + 3600 * 85)
    assert keys.presenter_key() != first


def test_the_driver_sees_who_follows_on_every_front(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, own = store.open_store(), store.open_store().front
    monkeypatch.setattr(held, "front", "another")
    followers.note_followers({room.code: 150, "NOROOM": 3})
    monkeypatch.setattr(held, "front", own)
    followers.note_followers({room.code: 7})
    assert followers.count_elsewhere(room.code) == 150
    start = rooms.clock_time()
    monkeypatch.setattr(rooms, "clock_time", lambda: start + followers.GONE + 1)
    assert followers.count_elsewhere(room.code) == 0


def test_a_clock_that_jumps_on_one_front_ends_no_room(
    room: Room, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, clock = rooms.clock_time(), time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 25 * 3600)
    store.close_stores()  # another front, which starts now
    if kind == "sqlite" and not sqlite.BOOT.exists():
        pytest.skip("this system does not say when it was started")
    assert abs(rooms.clock_time() - before) < 60
    assert rooms.purge_rooms() == [] and rooms.find_room(room.code) is not None


def test_the_clock_is_set_anew_when_the_machine_has_started_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BOOT", folder / "boot")
    sqlite.BOOT.write_text("one\n")
    held = store.open_store()
    held.ask("update shared set value = ? where name = 'clock'", "one 1000.0")
    store.close_stores()
    assert rooms.clock_time() < 10**9
    store.close_stores()
    sqlite.BOOT.write_text("two\n")
    assert abs(rooms.clock_time() - time.time()) < 60


# Versions.


def test_a_file_of_before_there_were_versions_opens(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "rooms.sqlite3"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(BEFORE.read_text("utf-8"))
        db.execute("update rooms set opened = ?, seen = ?", (time.time(), time.time()))
        db.commit()
    monkeypatch.setenv("GLASSFORMER_STORE", str(file))
    room = rooms.find_room("DHLXTT")
    assert room is not None and room.revealed and rooms.may_drive(room, KEY)
    assert votes.count_votes(room, CHOICE) == {0: 1, 1: 2}
    assert [each.text for each in proposals.proposals_of(room)] == ["the cat sleeps"]
    assert rooms.scene_picture(room, WORD) and rooms.scene_texts(room, WORD)["words"]
    assert votes.take_vote(on(room, CHOICE), CHOICE, "voter-0", 2) == 2
    assert len(keys.presenter_key()) == 9
    assert store.open_store().ask("select number from versions order by number") == [
        (number,) for number in range(1, 1 + len(schema.MIGRATIONS))
    ]


KEY = BEFORE.read_text("utf-8").splitlines()[0].rpartition(" ")[2]


def test_a_migration_is_done_once_and_whole(
    room: Room, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close_stores()
    later = "create table more (number integer primary key)"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, f"{later}; no such statement"))
    with pytest.raises(Exception, match="syntax"):
        store.open_store()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS[:-1], later))
    for _ in range(2):
        assert store.open_store().ask("select count(*) from more") == [(0,)]
        assert rooms.find_room(room.code) is not None
        store.close_stores()


def test_a_store_of_a_later_version_is_refused(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if kind == "sqlite":
        monkeypatch.setenv("GLASSFORMER_STORE", str(tmp_path / "own.sqlite3"))
    store.open_store().ask("insert into versions values (?)", len(schema.MIGRATIONS) + 1)
    store.close_stores()
    refused("store_newer", store.open_store)
    started_in_vain("a newer Glassformer")


def started_in_vain(said: str) -> None:
    """The server ends at its start with one sentence."""
    ended = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.port", "0",
         "--server.headless", "true"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    lines = [each for each in ended.stderr.splitlines() if each]
    assert ended.returncode == 1 and len(lines) == 1 and ended.stdout == "", ended
    assert lines[0].startswith("Glassformer: ") and said in lines[0]


# Which store it is.


def test_a_new_file_is_opened_by_all_who_come_at_once(folder: Path) -> None:
    """As by the fronts of one machine at its start: nobody is told that another holds it."""
    with ThreadPoolExecutor(4) as fronts:
        for number in range(60):
            opened = fronts.map(sqlite.SqliteStore, [folder / f"{number}.sqlite3"] * 4)
            for each in opened:
                each.close()


def test_a_front_opens_its_store_once(kind: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(lambda _: store.open_store(), range(8)))
    assert len({id(each) for each in opened}) == 1


def test_a_file_is_shared_whatever_the_port(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLASSFORMER_HALL_FOLDER")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    for given, file in (("", "state/glassformer/store.sqlite3"),
                        (str(folder / "shared"), "shared/store.sqlite3"),
                        (str(folder / "own.db"), "own.db")):  # fmt: skip
        monkeypatch.setenv("GLASSFORMER_STORE", given)
        room = open_room()
        assert (folder / file).exists()
        with front("hear", room.code) as other:
            assert line(other) == "ready"
        store.close_stores()


def test_a_file_that_cannot_be_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "text").write_text("no folder")
    for given in (f"{folder}/text/rooms.sqlite3", f"{folder}/text/rooms", "/proc/rooms.sqlite3"):
        monkeypatch.setenv("GLASSFORMER_STORE", given)
        refused("hall_folder", store.open_store)
    started_in_vain("/proc/rooms.sqlite3 is none")


def test_psycopg_is_for_postgres_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asks = "from glassformer.app.stores.store import *; open_store(); import sys; "
    tells = "sys.exit(sum(each.startswith('psycopg') for each in sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", asks + tells], cwd=ROOT, check=False).returncode == 0
    )
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "glassformer.app.stores.postgres", raising=False)
    monkeypatch.setenv("GLASSFORMER_STORE", "postgresql://localhost/none")
    refused("store_driver", store.open_store)


@pytest.mark.parametrize("address", [
    "postgresql://glass:secret@127.0.0.1:9/none", "postgresql://[not an address", "postgres://h:x/"
])  # fmt: skip
def test_a_database_that_is_away_at_the_start_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("GLASSFORMER_STORE", address)
    with pytest.raises(GlassformerError) as raised:
        store.open_store()
    assert raised.value.key == "store_start" and "secret" not in str(raised.value)
    started_in_vain("GLASSFORMER_STORE")

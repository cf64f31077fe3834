"""A database that goes, and comes back: what is on screen stays, nothing is half done."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from glassformer.app.hall import rooms, votes
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError
from tests.hall.fronts import front, line, on, refused
from tests.hall.halls import CHOICE, NUMBER, WORD, Client, now, open_room
from tests.hall.postgres import Postgres


@pytest.fixture
def database(running: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[Postgres]:
    running.empty()
    monkeypatch.setenv("GLASSFORMER_STORE", running.address)
    yield running
    if running.process is None:
        running.run()


def test_while_the_database_is_away_reading_goes_on(database: Postgres, url: str) -> None:
    room = open_room()
    driver, phone = (Client(f"{url}/hall/{room.code}", key) for key in (room.key, ""))
    driver.ask("/move", {"scene": CHOICE})
    assert phone.ask().status == 200 and phone.vote(CHOICE, 1).status == 200
    before = [phone.ask("/state").json, driver.ask("/state").json["votes"]]
    with phone.events() as events:
        assert next(events)[1]["scene"] == CHOICE
        database.stop()
        assert [phone.ask().status, phone.ask("/notes").status] == [200, 200]
        assert [phone.ask("/state").json, driver.ask("/state").json["votes"]] == before
        for told in (phone.vote(CHOICE, 2), driver.ask("/move", {"scene": 0})):
            assert told.status == 503 and "votes and moves are not taken" in told.said
        database.run()
        eventually(lambda: phone.vote(CHOICE, 2).status == 200)
        with front("hear", room.code) as other:  # whoever comes later finds it, too
            assert line(other) == "ready"
        assert driver.ask("/move", {"scene": WORD}).status == 200
        assert next(each for _, each in events if each and each["scene"] == WORD)
    assert votes.count_votes(room, CHOICE) == {2: 1}


def test_a_connection_that_breaks_in_a_change_takes_all_of_it_along(database: Postgres) -> None:
    room = on(open_room(), CHOICE)
    votes.take_vote(room, CHOICE, "a", 1)

    def broken() -> None:
        with rooms.change_of(room.code) as held:
            held.ask("delete from votes where room = ?", room.code)
            database.send_away()
            for _ in range(2):  # the second one finds it closed
                with suppress(GlassformerError):
                    held.ask("update rooms set black = 1")

    refused("store_away", broken)
    assert votes.count_votes(room, CHOICE) == {1: 1} and not now(room).black
    database.send_away()
    votes.take_vote(room, CHOICE, "b", 1)  # the next change connects again, and nobody notices
    assert votes.count_votes(room, CHOICE) == {1: 2}


def test_a_change_with_an_error_that_was_passed_over_is_refused(database: Postgres) -> None:
    room = open_room()

    def passes_over() -> None:
        with rooms.change_of(room.code) as held, suppress(GlassformerError):
            held.ask("update rooms set black = 1")
            held.ask("insert into asked values ('NOROOM', 0, 1, 0)")

    refused("store_away", passes_over)
    assert not now(room).black


def test_what_another_front_tells_is_heard_after_an_outage(database: Postgres, url: str) -> None:
    room = open_room()
    with Client(f"{url}/hall/{room.code}").events() as events:
        next(events)
        database.stop()
        database.run()
        with other_store(database.address) as held:
            sql = "update rooms set scene = ?, revision = revision + 1"
            held.ask(sql, NUMBER)
            held.tell(room.code)
        assert next(each for _, each in events if each and each["scene"] == NUMBER)


def eventually(true: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def other_store(address: str) -> Iterator[store.Store]:
    from glassformer.app.stores.postgres import PostgresStore

    with closing(PostgresStore(address)) as held:
        yield held

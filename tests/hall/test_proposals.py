"""What phones send to the presenter: bounded, in one line, in front only when it is picked."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from glassformer.app.hall import proposals, rooms
from glassformer.app.hall.proposals import plain_text
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError
from tests.hall.halls import Client, now

SENTENCE = "The cat did not sleep."


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is long after the one before."""
    start, turns = rooms.clock_time(), count()
    monkeypatch.setattr(rooms, "clock_time", lambda: start + 0.02 * next(turns))
    monkeypatch.setattr(proposals, "PAUSE", 0.01)


@pytest.fixture
def driver(url: str, room: Room) -> Client:
    return Client(f"{url}/hall/{room.code}", room.key)


@pytest.fixture
def phone(url: str, room: Room) -> Client:
    found = Client(f"{url}/hall/{room.code}")
    assert found.ask().status == 200
    return found


def send(room: Room, text: str, voter: str = "a", client: str = "c", kind: str = "sentence") -> str:
    return proposals.take_proposal(room, kind, text, voter, client)


@pytest.mark.parametrize(("typed", "kept"), [
    ("  The cat\n\n sleeps. ", "The cat sleeps."), ("猫睡觉。", "猫睡觉。"),
    ("القطة نائمة", "القطة نائمة"), ("\u202eevil\u202c \u2066x\u2069", "evil x"),
    ("a\u200bb\ufeffc\x00d\x1be", "abcde"), ("👩\u200d🔬 works", "👩\u200d🔬 works"),
    ("می\u200cروم", "می\u200cروم"), ("e" + "\u0301" * 40, "é\u0301\u0301"),
    ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ("", ""), (" \n\t", ""), ("\u200b\u200d\u202e\ufeff", ""), ("\u0301\u0301", ""),
    ("\ud800", ""), ("\ue000", ""), ("\u3164\u2800", ""),
])  # fmt: skip
def test_a_text_is_one_line_with_nothing_invisible(typed: str, kept: str) -> None:
    assert plain_text(typed) == kept


def test_what_cannot_be_is_told_on_the_phone(phone: Client) -> None:
    def sent(text: object, kind: str = "sentence") -> tuple[int, str, str]:
        found = phone.ask("/propose", {"kind": kind, "text": text})
        return found.status, found.said, found.json["text"]["zh"]

    for empty in ("", " ", "\u200b", None, 7, ["x"]):
        status, said, in_chinese = sent(empty)
        assert status == 400 and "Nothing can be read" in said and "没有可以读出" in in_chinese
    status, said, in_chinese = sent("x" * 201)
    assert status == 413 and said.startswith("That has 201 characters; at most 200")
    assert in_chinese == "共 201 个字符，最多接受 200 个。请写短一些。"
    assert sent("x" * 1_000_000)[0] == 413
    assert sent(SENTENCE, "picture")[0] == 400
    assert Client(phone.url).ask("/propose", {"kind": "sentence", "text": "x"}).status == 403
    for body in (b"[]", b"{", b"\xff", b'{"kind": {}, "text": "x"}'):
        assert phone.ask("/propose", body).status == 400, body


def test_nothing_is_in_front_before_it_is_picked(driver: Client, phone: Client) -> None:
    assert phone.ask("/propose", {"kind": "sentence", "text": f" {SENTENCE} "}).json == {
        "text": SENTENCE
    }
    with driver.events() as own, phone.events() as events:
        first, seen = next(own)[1], next(events)[1]
        assert first["proposals"] == {"sentence": 1, "question": 0, "newest": 1}
        assert first["played"] is None and SENTENCE not in str(first) and SENTENCE not in str(seen)
        (waiting,) = driver.ask("/proposals").json["waiting"]
        assert waiting == {"number": 1, "kind": "sentence", "text": SENTENCE}
        assert driver.ask("/play", {"number": 1}).status == 200
        while (told := next(own)[1])["played"] is None:
            pass
        assert told["played"] == {"number": 1, "text": SENTENCE}
    assert phone.ask("/proposals").status == 403
    driver.ask("/drop", {"number": 1})  # it is on screen
    assert driver.ask("/state").json["played"]["text"] == SENTENCE
    driver.ask("/move", {"scene": 1})
    assert driver.ask("/state").json["played"] is None
    driver.ask("/drop", {"number": 1})
    for number in (1, 99, 2**40):
        found = driver.ask("/play", {"number": number})
        assert found.status == 404 or number == 2**40
    assert driver.ask("/proposals").json == {"waiting": []}


@pytest.mark.usefixtures("clock")
def test_a_question_is_never_in_front(room: Room) -> None:
    send(room, "What is a head?", kind="question")
    with pytest.raises(GlassformerError, match="does not wait any more"):
        proposals.play_proposal(room, 1)
    assert proposals.proposals_of(room)[0].text == "What is a head?"
    assert proposals.count_proposals(room) == {"sentence": 0, "question": 1, "newest": 1}


def test_one_voter_waits_between_two_and_has_a_few(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    send(room, SENTENCE)
    with pytest.raises(GlassformerError, match="Wait a few seconds"):
        send(room, SENTENCE)
    start = rooms.clock_time()
    for turn in (1, 2):
        monkeypatch.setattr(rooms, "clock_time", lambda turn=turn: start + 10 * turn)
        send(room, SENTENCE)
    monkeypatch.setattr(rooms, "clock_time", lambda: start + 30)
    with pytest.raises(GlassformerError, match="3 of yours wait already"):
        send(room, SENTENCE)
    proposals.drop_proposal(room, 1)
    assert send(room, SENTENCE) == SENTENCE


def test_of_a_thousand_a_bounded_number_waits(url: str, room: Room) -> None:
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda each: _sent(room, f"voter-{each}"), range(1000)))
    assert sum(answers) == proposals.MOST_A_PAUSE == len(proposals.proposals_of(room))


def _sent(room: Room, voter: str) -> bool:
    try:
        return bool(send(room, "x" * 200, voter))
    except GlassformerError:
        return False


@pytest.mark.usefixtures("clock")
def test_the_oldest_of_the_crowd_goes_but_not_the_one_in_front(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    monkeypatch.setattr(proposals, "MOST", 6)
    monkeypatch.setattr(proposals, "MOST_OF_CLIENT", 4)
    send(room, "picked", "p", "one")
    proposals.play_proposal(room, 1)
    here = now(room)
    for each in range(50):
        send(here, f"flood {each}", f"f{each}", "one")
    kept = [each.text for each in proposals.proposals_of(here)]
    assert kept == ["flood 49", "flood 48", "flood 47", "picked"]
    for each in range(3):
        send(here, f"other {each}", f"o{each}", f"client {each}")
    kept = [each.text for each in proposals.proposals_of(here)]
    assert kept == ["other 2", "other 1", "other 0", "flood 49", "flood 48", "picked"]
    assert proposals.played_sentence(here) == "picked"


def test_nothing_of_it_is_left_after_the_room(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    send(room, SENTENCE)
    late = rooms.clock_time() + rooms.LONGEST + 1
    monkeypatch.setattr(rooms, "clock_time", lambda: late)
    assert rooms.purge_rooms() == [room.code]
    for table in ("proposals", "asked"):
        assert store.open_store().ask(f"select count(*) from {table}") == [(0,)]

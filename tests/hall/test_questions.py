"""A question is open until its answer is out, whatever scene is on; its votes as a file."""

import csv
import io
from dataclasses import replace

import pytest

from glassformer.app.hall import answers, rooms, screen, votes
from glassformer.app.hall.rooms import Room
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.read import read_lecture
from tests.hall.halls import CHOICE, NUMBER, WELCOME, WORD, Client, lecture, now, wait_for_runs
from tests.lectures.lectures import TWICE


def on(room: Room, scene: int) -> Room:
    rooms.move_to_scene(room, scene)
    return now(room)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scene counts as seen at once."""
    monkeypatch.setattr(rooms, "PASSED", -1.0)


@pytest.mark.usefixtures("later")
def test_a_question_stays_open_on_other_scenes_until_it_is_revealed(room: Room) -> None:
    on(room, WORD)
    here = on(room, WELCOME)  # a scene without one
    assert (here.scene, here.asked, here.opened) == (WELCOME, WORD, True)
    votes.take_vote(here, WORD, "a", "animal")
    votes.take_vote(here, WORD, "b", "street")
    told = screen.room_state(here)
    assert told["question"]["scene"] == WORD and "animal" in told["question"]["words"]
    assert told["question"]["title"]["en"] == "What does “it” look at?"
    assert told["question"]["sentence"].startswith("The animal didn't cross")
    assert told["title"]["en"] == "A sentence becomes a translation" and told["result"] is None
    votes.reveal_truth(here)
    shown = screen.room_state(now(room))
    assert shown["scene"] == WELCOME and shown["result"]["voted"] == 2
    assert shown["result"]["answer"]["value"] == "animal"
    after = on(room, NUMBER)
    assert after.asked == NUMBER and after.opened
    back = on(room, WELCOME)
    assert back.asked == NUMBER  # the one that was revealed is not open any more


@pytest.mark.usefixtures("later")
def test_the_last_open_one_is_revealed_first(room: Room) -> None:
    on(room, NUMBER)
    here = on(room, CHOICE)
    votes.take_vote(here, NUMBER, "a", 1)  # both are open
    votes.take_vote(here, CHOICE, "a", 1)
    votes.reveal_truth(here)
    assert now(room).asked == CHOICE and now(room).revealed  # seen until the next step
    here = on(room, WELCOME)
    assert here.asked == NUMBER and here.opened
    votes.reveal_truth(here, CHOICE)  # it was revealed before
    assert now(room).opened
    votes.reveal_truth(here)
    assert on(room, WELCOME).asked is None
    again = on(room, CHOICE)  # its own answer, as it was
    assert again.asked == CHOICE and again.revealed


def test_a_scene_that_was_only_passed_has_asked_nothing(room: Room) -> None:
    for scene in (WORD, NUMBER, CHOICE):
        here = on(room, scene)
        assert here.asked == scene
    votes.take_vote(here, CHOICE, "a", 1)
    assert on(room, WELCOME).asked == CHOICE  # somebody has voted
    assert votes.asked_scenes(room) == [CHOICE]


def test_a_first_scene_asks_at_once_and_others_only_when_they_were_on(room: Room) -> None:
    plain = lecture()
    first = rooms.open_room(plain.having(*plain.scenes[WORD:]), "en")
    wait_for_runs()
    assert first.asked == 0 and first.opened
    assert votes.take_vote(first, 0, "a", "animal") == "animal"
    assert room.asked is None
    for scene in (WELCOME, WORD, 10**30, -1):
        with pytest.raises(GlassformerError, match="has not been asked yet"):
            votes.take_vote(room, scene, "a", "animal")


@pytest.mark.usefixtures("later")
def test_what_is_asked_before_and_after_closes_once_the_lecture_goes_on() -> None:
    room = rooms.open_room(read_lecture(TWICE), "en")
    wait_for_runs()
    here = on(room, 1)
    assert (here.asked, [each.asked for each in here.lecture.scenes[:2]]) == (1, ["before"] * 2)
    votes.take_vote(here, 0, "a", 1)  # both are open
    first = next(at for at, each in enumerate(here.lecture.scenes) if not each.asked)
    here = on(room, first)
    assert here.asked not in (0, 1)
    for scene in (0, 1):
        with pytest.raises(GlassformerError, match="no more votes"):
            votes.take_vote(here, scene, "b", 1)
    assert votes.count_votes(here, 0) == {1: 1}
    assert set(votes.answer_of(here, 0) or {}) == {"later"}  # and no truth


def test_early_answers_are_told_on_the_phone(url: str, room: Room) -> None:
    phone = Client(f"{url}/hall/{room.code}")
    assert phone.ask().status == 200
    found = phone.vote(WORD, "animal")
    assert found.status == 409 and "has not been asked yet" in found.said
    assert "还没有提出" in found.json["text"]["zh"]


def test_the_clock_counts_the_first_scene_too(room: Room) -> None:
    before = rooms.clock_time()
    assert room.started is None
    begun = on(room, WORD).started
    assert begun is not None
    assert begun == pytest.approx(before - 60 * lecture().scenes[0].minutes, abs=20)
    rooms.start_clock(room)
    started = now(room).started
    assert started is not None and started >= before
    assert on(room, NUMBER).started == started


def test_the_short_path_is_known_to_the_driver() -> None:
    plain = lecture()
    scenes = [replace(scene, short=place != NUMBER) for place, scene in enumerate(plain.scenes)]
    room = rooms.open_room(plain.having(*scenes), "en")
    wait_for_runs()
    here = on(room, WORD)
    told = screen.driver_view(here)
    assert (told["short"], told["leaves"], told["next"]["scene"]) == (False, [NUMBER], NUMBER)
    rooms.shorten_path(here, True)
    told = screen.driver_view(now(room))
    assert told["short"] and told["next"]["scene"] == CHOICE
    assert told["next"]["title"]["en"] == "Large or small?"


def read(file: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.decode("utf-8-sig"))))


def test_votes_are_a_file_without_voters(url: str, room: Room) -> None:
    driver = Client(f"{url}/hall/{room.code}", room.key)
    assert read(driver.ask("/votes.csv").body) == []
    here = on(room, NUMBER)
    for voter, value in (("voter-a", 97), ("voter-b", 97), ("voter-c", -3)):
        votes.take_vote(here, NUMBER, voter, value)
    votes.reveal_truth(here)
    here = on(room, CHOICE)
    votes.take_vote(here, CHOICE, "voter-a", 2)
    answer = driver.ask("/votes.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = read(answer.body)
    told = [(row["scene"], row["kind"], row["value"], row["votes"]) for row in rows]
    assert told == [
        ("3", "number", "97.0", "2"), ("3", "number", "-3.0", "1"),
        ("4", "choice", "Not sure: below 10 %", "0"), ("4", "choice", "Rather: 10 to 50 %", "0"),
        ("4", "choice", "Very: above 50 %", "1"),
    ]  # fmt: skip
    assert [row["computed"] for row in rows] == ["98.2%", "98.2%", "", "", ""]
    assert rows[0]["question"].startswith("How much of its attention")
    assert b"voter" not in answer.body


def test_no_text_of_the_file_is_a_formula() -> None:
    hostile = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", 'a","=1', "a\n=1", "plain"]
    blank = dict.fromkeys(answers.VOTES_COLUMNS, "")
    rows = read(answers.write_votes([{**blank, "value": each, "votes": -1} for each in hostile]))
    assert [row["value"] for row in rows] == [f"'{each}" for each in hostile[:6]] + hostile[6:]
    assert {row["votes"] for row in rows} == {"-1"}

"""A room: who drives, what is on screen, votes, truths, and how long it is kept."""

import re
import stat
import sys
import threading
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from glassformer.app.hall import rooms, votes
from glassformer.app.hall.numbers import number_of
from glassformer.app.hall.rooms import Room
from glassformer.app.runs.traces import get_trace
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError
from tests.hall.halls import CHOICE, NUMBER, WELCOME, WORD, lecture, now, open_room

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def refused(key: str, act: Any, *values: Any) -> None:
    with pytest.raises(GlassformerError) as raised:
        act(*values)
    assert raised.value.key == key


def on(room: Room, scene: int) -> Room:
    rooms.move_to_scene(room, scene)
    return now(room)


def test_a_code_can_be_read_out_and_the_key_is_not_kept(room: Room, folder: Path) -> None:
    assert re.fullmatch("[A-HJ-NP-Z]{6}", room.code)
    assert re.fullmatch("[0-9a-f]{32}", room.key)
    assert rooms.may_drive(room, room.key) and not rooms.may_drive(room, "") and not now(room).key
    assert not rooms.may_drive(room, room.key.upper()) and not rooms.may_drive(room, "ключ\ud800")
    assert room.key not in repr(room)
    files = [path.read_bytes() for path in folder.iterdir()]
    assert files and not any(room.key.encode() in each for each in files)
    assert any(room.code.encode() in each for each in files)


def test_nobody_else_can_read_the_file(room: Room, folder: Path) -> None:
    for path in (folder, *folder.iterdir()):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_a_folder_of_somebody_else_is_refused(
    monkeypatch: pytest.MonkeyPatch, room: Room, folder: Path
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("GLASSFORMER_HALL_FOLDER", "/proc/nothing")
        refused("hall_folder", rooms.open_room, lecture(), "en")


def test_scenes_are_moved_to_and_clamped(room: Room) -> None:
    assert (room.scene, room.black, room.started, room.opened) == (0, False, None, False)
    first = on(room, WORD)
    assert first.scene == WORD and first.opened and first.started is not None
    assert first.revision > room.revision
    assert on(room, 99).scene == CHOICE and on(room, -5).scene == WELCOME
    assert now(room).started == first.started
    rooms.blacken_screens(room, True)
    assert now(room).black and not on(room, WORD).black


def test_the_last_vote_of_a_voter_counts(room: Room) -> None:
    here = on(room, CHOICE)
    for voter, value in (("a", 0), ("b", 1), ("a", 2), ("a", 2)):
        votes.take_vote(here, CHOICE, voter, value)
    assert votes.count_votes(here, CHOICE) == {1: 1, 2: 1}


@pytest.mark.parametrize("value", [-1, 3, 1.0, True, None, "1", "x" * 1_000_000, [1], {"a": 1}])
def test_what_is_no_option_is_refused(room: Room, value: Any) -> None:
    refused("hall_vote_value", votes.take_vote, on(room, CHOICE), CHOICE, "a", value)


@pytest.mark.parametrize("value", [
    float("nan"), float("inf"), 1e10, True, None, [1], "<b>3</b>", "", " ", "%", "a lot", "nan",
    "inf", "1e999", "9999999999", "1_000", "0x10", "1,000,5", "1,0000,000", "12 34", "10²", "½",
    "1,000,00", "12,34,56", "%%5", "3 cats", "- - 3", "x" * 1_000_000,
    "9" * 1_000_000, "3" + " " * 1_000_000, "\ud800",
])  # fmt: skip
def test_what_is_no_number_is_refused(room: Room, value: Any) -> None:
    refused("hall_vote_number", votes.take_vote, on(room, NUMBER), NUMBER, "a", value)


@pytest.mark.parametrize(("typed", "counted"), [
    ("144", 144), (" 1,000 ", 1000), ("1,234,567.5", 1234567.5), ("1 000", 1000),
    ("1\u2009000,5", 1000.5), ("1\u00a0000", 1000), ("1\u202f000", 1000), ("1’000", 1000),
    ("1'000", 1000), ("١٬٠٠٠", 1000), ("1,5", 1.5), ("0,500", 0.5), ("12,50", 12.5), (".5", 0.5),
    ("1234,567", 1234.567), ("1.000", 1), ("１４４", 144), ("１，０００", 1000), ("3。5", 3.5),
    ("٩٧٫٥", 97.5), ("٩٧٫٥٪", 97.5), ("\u200f٤٢\u200f", 42), ("१४४", 144), ("१,०००", 1000),
    ("97,5 %", 97.5), ("９７％", 97), ("−3", -3), ("－３", -3), ("– 3", -3), ("+3", 3),
    ("1e3", 1000), (42, 42), (0.5, 0.5), ("12,34,567", 1234567), ("१२,३४,५६७.५", 1234567.5),
    ("1,00,000", 100000), ("%97,5", 97.5), ("٪ ٩٧", 97),
])  # fmt: skip
def test_a_number_counts_however_it_is_typed(room: Room, typed: Any, counted: float) -> None:
    here = on(room, NUMBER)
    assert votes.take_vote(here, NUMBER, "a", typed) == counted
    assert votes.count_votes(here, NUMBER) == {counted: 1}


def test_the_digits_of_every_script_and_the_unit_of_the_question_are_read() -> None:
    zeros = [chr(each) for each in range(sys.maxunicode) if unicodedata.decimal(chr(each), 9) == 0]
    assert len(zeros) > 50
    for zero in zeros:
        typed = "".join(chr(ord(zero) + digit) for digit in (1, 4, 4))
        assert number_of(typed) == int(typed) == 144, zero
    for typed in ("12 Words", "12 个", "12個", "１２　words"):
        assert number_of(typed, ["words", "个"]) == (None if "個" in typed else 12), typed
    assert number_of("100", ["0"]) == 100  # what is a number as it stands has no unit


@pytest.mark.parametrize("value", ["<script>alert(1)</script>", "dog", "", "x" * 10**6, 1, None])
def test_what_is_no_word_of_the_sentence_is_refused(room: Room, value: Any) -> None:
    here = on(room, WORD)
    refused("hall_vote_value", votes.take_vote, here, WORD, "a", value)
    votes.take_vote(here, WORD, "a", "animal")
    assert votes.count_votes(here, WORD) == {"animal": 1}


def test_a_vote_for_another_scene_or_after_the_reveal_is_refused(room: Room) -> None:
    here = on(room, CHOICE)
    refused("hall_vote_scene", votes.take_vote, here, NUMBER, "a", 1)
    refused("hall_vote_scene", votes.take_vote, on(room, WELCOME), WELCOME, "a", 1)
    here = on(room, CHOICE)
    votes.take_vote(here, CHOICE, "a", 1)
    votes.reveal_truth(here)
    refused("hall_vote_closed", votes.take_vote, here, CHOICE, "a", 0)
    assert now(room).revealed and votes.count_votes(here, CHOICE) == {1: 1}
    assert on(room, WORD).opened and not on(room, CHOICE).opened  # it stays closed


def test_one_who_casts_many_votes_shuts_nobody_out(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    monkeypatch.setattr(votes, "MOST_VOTERS", 8)
    monkeypatch.setattr(votes, "MOST_OF_CLIENT", 6)
    here, present = on(room, CHOICE), {"a", "b", "c", "d"}

    def cast(voter: str, value: int, client: str) -> None:
        votes.take_vote(here, CHOICE, voter, value, client, present.__contains__)

    for each in range(50):
        cast(f"script-{each}", 0, "one")
    assert votes.count_votes(here, CHOICE) == {0: 6}
    cast("a", 1, "one")  # of the same address: the script's go first, for it is not there
    for voter in "bcd":
        cast(voter, 1, "other")
    assert votes.count_votes(here, CHOICE) == {0: 4, 1: 4}
    cast("b", 2, "other")  # whoever has voted may change it
    assert votes.count_votes(here, CHOICE) == {0: 4, 1: 3, 2: 1}


def test_after_a_start_the_presenter_has_a_while_to_come_back(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    late = rooms.clock_time() + rooms.AWAY + 1  # the server was off, or the clock is another
    monkeypatch.setattr(rooms, "clock_time", lambda: late)
    rooms.await_presenters()
    assert rooms.purge_rooms() == [] and rooms.find_room(room.code) is not None
    monkeypatch.setattr(rooms, "clock_time", lambda: late + rooms.GRACE + 1)
    assert rooms.purge_rooms() == [room.code]


def test_votes_of_many_threads_are_counted_once_each(room: Room) -> None:
    here = on(room, CHOICE)

    def cast(name: int) -> None:
        for each in range(40):
            votes.take_vote(here, CHOICE, f"{name}-{each}", name % 3)

    threads = [threading.Thread(target=cast, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert votes.count_votes(here, CHOICE) == {0: 80, 1: 80, 2: 80}


def test_truths_are_those_of_the_run(room: Room) -> None:
    trace = get_trace(FIRST_SENTENCE)
    weights = trace["encoder/1/self_attention/weights"][0, 0].numpy()
    words = trace.source_tokens
    row = weights[words.index("it")]
    found = {}
    for scene in (WORD, NUMBER, CHOICE):
        votes.reveal_truth(on(room, scene))
        found[scene] = votes.answer_of(now(room))
    assert found[WORD]["value"] == words[int(row.argmax())]
    share = float(row[words.index("animal")])
    assert found[NUMBER]["value"] == pytest.approx(100 * share, rel=1e-5)
    assert found[NUMBER]["text"]["en"] == f"{100 * share:.1f}%"
    assert found[CHOICE]["value"] == (share >= 0.1) + (share >= 0.5)
    assert found[CHOICE]["text"]["zh"] == lecture().scenes[CHOICE].question.options[2]["zh"]


def test_a_run_that_cannot_be_closes_the_question_and_says_why(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    from glassformer.app.hall import answers

    def fail(*_: Any) -> None:
        raise GlassformerError("empty_text")

    monkeypatch.setattr(answers, "trace_of", fail)
    votes.reveal_truth(on(room, NUMBER))
    assert now(room).revealed
    assert votes.answer_of(now(room))["error"]["text"]["zh"]


def test_a_reveal_without_a_question_changes_nothing(room: Room) -> None:
    votes.reveal_truth(room)
    assert now(room).revision == room.revision


def test_notes_hold_the_numbers_of_the_run(room: Room) -> None:
    told = rooms.scene_texts(room, WORD)
    assert told["notes"]["en"] == "Let them choose first. The weight is animal."
    assert told["words"][:3] == ["The", "animal", "didn't"]


def test_the_last_hand_over_wins(room: Room) -> None:
    second = rooms.hand_over(room)
    third = rooms.hand_over(now(room))
    held = [rooms.may_drive(now(room), key) for key in (room.key, second, third)]
    assert held == [False, False, True] and now(room).handed == 2


def test_pictures(room: Room) -> None:
    assert rooms.scene_picture(room, WORD) is None and rooms.picture_version(room, WORD) == ""
    version = rooms.put_picture(room, WORD, PNG)
    assert rooms.scene_picture(room, WORD) == PNG and rooms.picture_version(room, WORD) == version
    assert now(room).revision == room.revision  # it is not on screen
    rooms.put_picture(room, WELCOME, PNG)
    assert now(room).revision == room.revision + 1
    refused("hall_picture_large", rooms.put_picture, room, 0, PNG + bytes(rooms.MOST_PICTURE))
    refused("hall_picture", rooms.put_picture, room, 0, b"<svg onload=alert(1)>")
    refused("hall_picture", rooms.put_picture, room, 0, b"RIFF0000WAVEfmt ")
    refused("hall_picture", rooms.put_picture, room, 99, PNG)


def test_a_room_waits_two_hours_for_its_presenter(
    monkeypatch: pytest.MonkeyPatch, room: Room
) -> None:
    start = rooms.clock_time()
    for hours, there in ((1.9, True), (3.8, True), (5.9, False)):
        monkeypatch.setattr(rooms, "clock_time", lambda hours=hours: start + 3600 * hours)
        assert (rooms.find_room(room.code) is not None) == there
        if there:
            rooms.mark_presenter_seen(room)  # the key opens it again


def test_nothing_is_left_after_a_day(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    here = on(room, WORD)
    votes.take_vote(here, WORD, "a-voter-by-name", "animal")
    rooms.put_picture(room, WORD, PNG)
    votes.reveal_truth(here)
    start = rooms.clock_time()
    for hour in range(1, 24):
        monkeypatch.setattr(rooms, "clock_time", lambda hour=hour: start + 3600 * hour)
        rooms.mark_presenter_seen(room)
        assert rooms.purge_rooms() == []
    monkeypatch.setattr(rooms, "clock_time", lambda: start + 24.1 * 3600)
    assert rooms.find_room(room.code) is None and rooms.purge_rooms() == [room.code]
    held = store.open_store()
    for table in ("rooms", "answers", "votes", "pictures", "prepared"):
        assert held.ask(f"select count(*) from {table}") == [(0,)]


def test_what_was_deleted_is_overwritten(
    monkeypatch: pytest.MonkeyPatch, room: Room, folder: Path
) -> None:
    votes.take_vote(on(room, WORD), WORD, "a-voter-by-name", "animal")
    held, late = store.open_store(), rooms.clock_time() + 24.1 * 3600
    held.ask("pragma wal_checkpoint(truncate)")
    assert any(b"a-voter-by-name" in path.read_bytes() for path in folder.iterdir())
    monkeypatch.setattr(rooms, "clock_time", lambda: late)
    assert rooms.purge_rooms() == [room.code]
    held.ask("pragma wal_checkpoint(truncate)")
    assert not any(b"a-voter-by-name" in path.read_bytes() for path in folder.iterdir())


def test_a_server_holds_so_many_rooms(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setattr(rooms, "MOST_ROOMS", 1)
    refused("hall_rooms", rooms.open_room, lecture(), "en")


def test_a_server_that_starts_again_finds_its_rooms(room: Room) -> None:
    here = on(room, CHOICE)
    votes.take_vote(here, CHOICE, "a", 2)
    before = now(room)
    store.close_stores()
    assert now(room) == before
    assert votes.count_votes(room, CHOICE) == {2: 1} and rooms.may_drive(now(room), room.key)


def test_a_damaged_file_is_begun_anew(room: Room, folder: Path) -> None:
    store.close_stores()
    for path in folder.iterdir():
        path.write_bytes(b"no database, but long enough to be read as one" * 100)
    assert rooms.find_room(room.code) is None
    assert rooms.find_room(open_room("zh").code) is not None


def test_a_lecture_that_this_version_cannot_read_stops_no_start(
    monkeypatch: pytest.MonkeyPatch, room: Room, folder: Path
) -> None:
    other, warmed = open_room(), []
    text = "[[scene]]\nmode = 'a page of before'\n"
    store.open_store().ask("update rooms set lecture = ? where code = ?", text, room.code)
    monkeypatch.setattr(rooms, "_warm", lambda found: warmed.append(found.code))
    rooms.resume_rooms()
    assert warmed == [other.code] and rooms.find_room(room.code) is None

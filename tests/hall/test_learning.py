"""What a room has learned: right before and after, of those who answered twice, and no names."""

from dataclasses import replace

import pytest

from glassformer.app.hall import answers, learning, rooms, screen, votes
from glassformer.app.hall.rooms import Room
from glassformer.core.lectures.gain import measure_gain
from glassformer.core.lectures.read import read_lecture
from tests.hall import halls
from tests.lectures.lectures import TWICE


@pytest.fixture
def taught() -> Room:
    """A room of a lecture that begins and ends with the same two questions."""
    found = rooms.open_room(read_lecture(TWICE), "en")
    halls.wait_for_runs()
    return replace(halls.now(found), key=found.key)


def on(room: Room, scene: int) -> Room:
    rooms.move_to_scene(room, scene)
    return halls.now(room)


def test_the_gain_is_counted_over_those_who_answered_twice(taught: Room) -> None:
    before = {"a": 0, "b": 0, "c": 1, "d": 0, "left": 0}
    after = {"a": 1, "b": 1, "c": 1, "d": 0, "came": 1}
    for voter, value in before.items():
        votes.take_vote(taught, 0, voter, value)
    votes.reveal_truth(taught)
    told = votes.answer_of(taught, 0)
    assert told is not None and "value" not in told and told["later"]["en"]
    assert "truth" not in {key for bar in _bars(taught) for key in bar if bar[key] is True}
    room = on(taught, 4)
    for voter, value in after.items():
        votes.take_vote(room, 4, voter, value)
    assert learning.gains_table(room) == []  # before the answer is out nobody counts who was right
    votes.reveal_truth(room)
    (row,) = learning.gains_table(halls.now(room))
    expected = measure_gain([(False, True), (False, True), (True, True), (False, False)])
    assert expected is not None and row["answered_both"] == 4
    assert (row["answered_before"], row["answered_after"]) == (5, 5)
    assert (row["right_before"], row["right_after"], row["gain"]) == (0.25, 0.75, 0.5)
    assert (row["low"], row["high"]) == (expected.low, expected.high)
    assert screen.driver_view(halls.now(room))["learned"] == [row]
    assert "learned" not in screen.room_state(halls.now(room))
    text = answers.write_votes([row], learning.COLUMNS).decode("utf-8-sig")
    assert text.splitlines()[0] == ",".join(learning.COLUMNS)
    assert "grows,What grows?" in text and "0.25,0.75,0.5" in text
    assert not any(f",{voter}," in text for voter in before)


def test_who_came_late_learns_nothing_that_is_counted(taught: Room) -> None:
    room = on(taught, 4)
    votes.take_vote(room, 4, "came", 1)
    votes.reveal_truth(room)
    (row,) = learning.gains_table(halls.now(room))
    assert row["answered_both"] == 0 and row["gain"] is None
    assert answers.write_votes([row], learning.COLUMNS)


def _bars(room: Room) -> list[dict[str, object]]:
    result = screen.room_state(halls.now(room))["result"]
    assert result is not None
    return list(result["bars"])

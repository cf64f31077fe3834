"""What a room has learned: the questions that its lecture began and ended with, paired by voter.

Who answered what leaves the store nowhere: only counts over those who answered twice do.
"""

from typing import Any

import orjson

from glassformer.app.hall import votes
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import store
from glassformer.core.lectures.gain import LEVEL, measure_gain

COLUMNS = (
    "name", "title", "question", "answered_before", "answered_after", "answered_both",
    "right_before", "right_after", "gain", "low", "high", "level",
)  # fmt: skip


def gains_table(room: Room) -> list[dict[str, Any]]:
    """A row for each question that was asked twice, once its answer is out at the end.

    Shares and the gain are of those who answered both times; a question that nobody answered twice
    has none of them.
    """
    places = {scene.name: place for place, scene in enumerate(room.lecture.scenes) if scene.asked}
    told = list[dict[str, Any]]()
    for name, after in places.items():
        before = places.get(name.replace("after-", "before-", 1), after)
        answer = votes.answer_of(room, after) if before != after else None
        if answer is None or "value" not in answer:
            continue
        found = measure_gain(_pairs(room, before, after, answer["value"]))
        scene = room.lecture.scenes[after]
        assert scene.question is not None
        told.append(
            {
                "name": name.removeprefix("after-"), "title": scene.title[room.language],
                "question": scene.question.prompt[room.language],
                "answered_before": sum(votes.count_votes(room, before).values()),
                "answered_after": sum(votes.count_votes(room, after).values()),
                "answered_both": found.pairs if found else 0,
                "right_before": found and found.before, "right_after": found and found.after,
                "gain": found and found.gain, "low": found and found.low,
                "high": found and found.high, "level": LEVEL,
            }
        )  # fmt: skip
    return told


def _pairs(room: Room, before: int, after: int, right: Any) -> list[tuple[bool, bool]]:
    """Of each voter who answered both times, whether right before and whether right after."""
    sql = (
        "select one.value, two.value from votes one join votes two "
        "on one.room = two.room and one.voter = two.voter "
        "where one.room = ? and one.scene = ? and two.scene = ?"
    )
    rows = store.open_store().ask(sql, room.code, before, after)
    return [(orjson.loads(one) == right, orjson.loads(two) == right) for one, two in rows]

"""The votes on the questions of a room, and their truths.

A question is open from when its scene comes on until its truth is out, whatever scene is on.
"""

from collections.abc import Callable
from typing import Any

import orjson

from glassformer.app.hall import rooms
from glassformer.app.hall.numbers import number_of
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError

MOST_VOTERS = 2000  # of a question
MOST_OF_CLIENT = 600  # votes on a question: a whole hall may come from one address
LARGEST = 1e9  # of a number that is voted


def reveal_truth(room: Room, scene: int | None = None) -> None:
    """Close an open question and work out its truth from the run of its scene.

    scene: whose it is; None for the last that was asked. A run that fails closes it, too: the
    answer then says why. What is no open question stays as it is.
    """
    place = room.asked if scene is None else scene
    if place is None or not _is_asked(room, place) or answer_of(room, place) is not None:
        return
    from glassformer.app.hall import answers  # late: the model comes with it

    told = answers.answer_of_scene(room.lecture, room.lecture.scenes[place], room.language)
    sql = "insert into answers values (?, ?, ?) on conflict do nothing"
    store.open_store().ask(sql, room.code, place, orjson.dumps(told).decode())
    rooms.change_room(room, "black = 0, shown = ?", place)


def answer_of(room: Room, scene: int | None = None) -> dict[str, Any] | None:
    """What `reveal_truth` found for the question of a scene, of the one asked; None before it."""
    sql = "select answer from answers where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, room.asked if scene is None else scene)
    return orjson.loads(rows[0][0]) if rows else None


def take_vote(
    room: Room,
    scene: int,
    voter: str,
    value: Any,
    client: str = "",
    is_present: Callable[[str], bool] = lambda _: False,
) -> Any:
    """Take in a vote, and say as what it counts; of several of one voter the last counts.

    Nobody is refused because others have voted: of too many votes of a client, or of all, an older
    one goes, of the client with most of them, and of a voter who does not follow if there is one.
    Errors: hall_vote_scene, hall_vote_closed, hall_vote_number, hall_vote_value.
    """  # fmt: skip
    with rooms.change_of(room.code, votes=True) as held:
        if not _is_asked(room, scene):
            raise GlassformerError("hall_vote_scene")
        if answer_of(room, scene) is not None:
            raise GlassformerError("hall_vote_closed")
        counted = _checked(room, scene, value)
        text = orjson.dumps(counted).decode()
        where = room.code, scene
        sql = "delete from votes where room = ? and scene = ? and voter = ?"
        held.ask(sql, *where, voter)
        if (crowd := _crowded(held, where, client)) is not None:
            sql = "select voter from votes where room = ? and scene = ? and client = ?"
            voters = [each for (each,) in held.ask(f"{sql} order by voter", *where, crowd)]
            gone = next((each for each in voters if not is_present(each)), voters[0])
            held.ask("delete from votes where room = ? and scene = ? and voter = ?", *where, gone)
        held.ask("insert into votes values (?, ?, ?, ?, ?)", *where, voter, text, client)
    return counted


def count_votes(room: Room, scene: int) -> dict[Any, int]:
    """How many have voted for each value that somebody voted for."""
    sql = "select value, count(*) from votes where room = ? and scene = ? group by value"
    return {orjson.loads(value): n for value, n in store.open_store().ask(sql, room.code, scene)}


def asked_scenes(room: Room) -> list[int]:
    """The scenes whose questions were asked, in the lecture's order."""
    sql = "select scene from asked where room = ? order by scene"
    return [scene for (scene,) in store.open_store().ask(sql, room.code)]


def _is_asked(room: Room, scene: int) -> bool:
    """Whether the question of a scene was asked, open or not."""
    if not 0 <= scene < len(room.lecture.scenes):
        return False
    sql = "select 1 from asked where room = ? and scene = ?"
    return bool(store.open_store().ask(sql, room.code, scene))


def _crowded(held: store.Store, where: tuple[str, int], client: str) -> str | None:
    """The client of whose votes one goes before another comes; None where there is room."""
    sql = "select client, count(*) from votes where room = ? and scene = ? group by client"
    counts: dict[str, int] = dict(held.ask(sql, *where))
    if counts.get(client, 0) >= MOST_OF_CLIENT:
        return client
    full = sum(counts.values()) >= MOST_VOTERS
    return max(counts, key=counts.__getitem__) if full else None


def _checked(room: Room, scene: int, value: Any) -> Any:
    """A vote as it is kept. Errors: hall_vote_number, hall_vote_value."""
    question = room.lecture.scenes[scene].question
    assert question is not None
    whole = isinstance(value, int) and not isinstance(value, bool)
    if question.kind == "choice" and whole and 0 <= value < len(question.options):
        return value
    if question.kind == "number":
        number = value if whole or isinstance(value, float) else None
        if isinstance(value, str):
            number = number_of(value, question.unit.values())
        if number is None or not abs(number) <= LARGEST:  # nor what is no number of floats
            raise GlassformerError("hall_vote_number", limit=f"{LARGEST:,.0f}")
        return float(number)
    if question.kind == "word" and value in rooms.scene_texts(room, scene).get("words", ()):
        return value
    raise GlassformerError("hall_vote_value")

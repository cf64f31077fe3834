"""The rooms: a lecture with a code, its scene on screen, its votes, who may drive.

All of it is in the store; nothing is remembered here, so that a server which was killed goes on
where it was. A change is told to `CHANGED`, from whatever thread it comes.
"""

import hmac
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson

from glassformer.app.hall import keys, store
from glassformer.app.hall.numbers import number_of
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Question
from glassformer.core.lectures.read import read_lecture
from glassformer.core.lectures.write import write_lecture

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like figures
CODE = 6  # letters
AWAY = 2 * 3600.0  # seconds that a room waits for its presenter
LONGEST = 24 * 3600.0  # seconds that anything of it is kept
TOUCHED = 30.0  # seconds between two notes that the presenter is there
GRACE = 600.0  # the same after a start: the server was away, not its presenter
MOST_ROOMS, MOST_VOTERS = 50, 2000  # of a server, of a question
MOST_OF_CLIENT = 600  # votes on a question: a whole hall may come from one address
MOST_PICTURE = 200_000  # bytes
LARGEST = 1e9  # of a number that is voted
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"RIFF": "image/webp"}

CHANGED: list[Callable[[str, bool], None]] = []  # each called with the code, and "votes alone"


def _ticks() -> float:
    """Seconds that nobody sets; where the system tells, those asleep count."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


_started = time.time() - _ticks()


def clock_time() -> float:
    """The time of day at the start, and what has passed since: no jump of the clock ends a room."""
    return _started + _ticks()


@dataclass(frozen=True)
class Room:
    """A room as it is now.

    key: of its driver, in the answer of `open_room` alone: only its hash is kept. revealed: whether
    the truth of this scene's question is out. started: when the presenter left the first scene.
    handed: how often the driver's key was handed over.
    """

    code: str
    lecture: Lecture
    language: str
    scene: int
    black: bool
    revealed: bool
    revision: int
    handed: int
    started: float | None
    lock: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    key: str = field(default="", repr=False)

    @property
    def question(self) -> Question | None:
        """That of the scene on screen."""
        return self.lecture.scenes[self.scene].question

    @property
    def opened(self) -> bool:
        """Whether votes are taken now."""
        return self.question is not None and not self.revealed


def open_room(lecture: Lecture, language: str, presenter_key: str = "") -> Room:
    """A new room, its key with it.

    Errors: hall_off, hall_key where the presenter's key is asked for and wrong, hall_rooms, and
    those of the store.
    """
    keys.check_key(presenter_key)
    text = write_lecture(lecture)
    purge_rooms()
    held, key, moment = store.open_store(), secrets.token_hex(16), clock_time()
    with held.changing():
        if held.ask("select count(*) from rooms")[0][0] >= MOST_ROOMS:
            raise GlassformerError("hall_rooms", limit=MOST_ROOMS)
        code = _free_code(held)
        held.ask(
            "insert into rooms (code, lecture, language, lock, secret, opened, seen) "
            "values (?, ?, ?, ?, ?, ?, ?)",
            code, text, language, _hash(key), secrets.token_bytes(16), moment, moment,
        )  # fmt: skip
    found = find_room(code)
    assert found is not None
    _warm(found)
    return replace(found, key=key)


def find_room(code: str) -> Room | None:
    """The room of a code; None where there is none, or its presenter has been away too long."""
    rows = store.open_store().ask(
        "select code, lecture, language, scene, black, revision, handed, started, lock, "
        "secret, exists (select 1 from answers where room = code and answers.scene = rooms.scene) "
        "from rooms where code = ? and opened > ? and seen > ?",
        code.strip().upper()[: 2 * CODE], clock_time() - LONGEST, clock_time() - AWAY,
    )  # fmt: skip
    if not rows:
        return None
    name, text, language, scene, black, revision, handed, started, lock, secret, out = rows[0]
    return Room(name, _lecture(text), language, scene, bool(black), bool(out), revision, handed,
                started, lock, secret)  # fmt: skip


def may_drive(room: Room, key: str) -> bool:
    """Whether the key drives the room; told in constant time."""
    return hmac.compare_digest(room.lock, _hash(key))


def mark_presenter_seen(room: Room) -> None:
    """The presenter is there."""
    store.open_store().ask(
        "update rooms set seen = ? where code = ? and seen < ?",
        clock_time(),
        room.code,
        clock_time() - TOUCHED,
    )


def move_to_scene(room: Room, scene: int) -> int:
    """Put a scene on screen, or the nearest to it, and light it; the revision then."""
    place = min(max(scene, 0), len(room.lecture.scenes) - 1)
    return _change(
        room, "scene = ?, black = 0, started = case when ? > 0 then coalesce(started, ?) "
        "else started end", place, place, clock_time(),
    )  # fmt: skip


def blacken_screens(room: Room, black: bool) -> int:
    """Make the screens black, or light again; the revision then."""
    return _change(room, "black = ?", int(black))


def hand_over(room: Room) -> str:
    """A new key for whoever drives from now on; the one before opens nothing any more."""
    key = secrets.token_hex(16)
    _change(room, "lock = ?, handed = handed + 1", _hash(key))
    return key


def reveal_truth(room: Room) -> None:
    """Close the question on screen and work out its truth from the run of the scene.

    A run that fails closes it, too: the answer then says why. Without a question nothing happens.
    """
    if not room.opened:
        return
    from glassformer.app.hall import answers  # late: the model comes with it

    scene = room.lecture.scenes[room.scene]
    found = orjson.dumps(answers.answer_of_scene(room.lecture, scene, room.language)).decode()
    held = store.open_store()
    held.ask("insert or ignore into answers values (?, ?, ?)", room.code, room.scene, found)
    _change(room, "black = 0")


def answer_of(room: Room) -> dict[str, Any] | None:
    """What `reveal_truth` found for the question on screen; None before it."""
    sql = "select answer from answers where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, room.scene)
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
    held = store.open_store()
    with held.changing():
        current = _current(room.code)
        if current is None or current.scene != scene or current.question is None:
            raise GlassformerError("hall_vote_scene")
        if not current.opened:
            raise GlassformerError("hall_vote_closed")
        counted = _checked(current, value)
        text = orjson.dumps(counted).decode()
        where = room.code, scene
        sql = "delete from votes where room = ? and scene = ? and voter = ?"
        held.ask(sql, *where, voter)
        if (crowd := _crowded(held, where, client)) is not None:
            sql = "select voter from votes where room = ? and scene = ? and client = ?"
            voters = [each for (each,) in held.ask(sql, *where, crowd)]
            gone = next((each for each in voters if not is_present(each)), voters[0])
            held.ask("delete from votes where room = ? and scene = ? and voter = ?", *where, gone)
        held.ask("insert into votes values (?, ?, ?, ?, ?)", *where, voter, text, client)
    _tell(room.code, votes=True)
    return counted


def scene_texts(room: Room, scene: int) -> dict[str, Any]:
    """Texts with their numbers, words to choose from (`prepare_answers`); {} before the run."""
    sql = "select told from prepared where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, scene)
    return orjson.loads(rows[0][0]) if rows else {}


def count_votes(room: Room, scene: int) -> dict[Any, int]:
    """How many have voted for each value that somebody voted for."""
    sql = "select value, count(*) from votes where room = ? and scene = ? group by value"
    return {orjson.loads(value): n for value, n in store.open_store().ask(sql, room.code, scene)}


def put_picture(room: Room, scene: int, body: bytes) -> str:
    """Keep the picture of a scene; its version. Errors: hall_picture_large, hall_picture."""
    if len(body) > MOST_PICTURE:
        raise GlassformerError("hall_picture_large", given=len(body) // 1000, limit=200)
    if picture_type(body) is None or not 0 <= scene < len(room.lecture.scenes):
        raise GlassformerError("hall_picture")
    version = sha256(body).hexdigest()[:12]
    if version != picture_version(room, scene):
        sql = "insert or replace into pictures values (?, ?, ?, ?)"
        store.open_store().ask(sql, room.code, scene, version, body)
        current = _current(room.code)
        if current is not None and current.scene == scene:
            _change(room, "black = black")
    return version


def scene_picture(room: Room, scene: int) -> bytes | None:
    """The picture of a scene."""
    sql = "select body from pictures where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, scene)
    return bytes(rows[0][0]) if rows else None


def picture_version(room: Room, scene: int) -> str:
    """What changes with the picture; "" without one."""
    sql = "select version from pictures where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, scene)
    return rows[0][0] if rows else ""


def picture_type(body: bytes) -> str | None:
    """The media type of a PNG or WebP picture; None for anything else."""
    found = next((kind for mark, kind in PICTURES.items() if body.startswith(mark)), None)
    return None if found == "image/webp" and body[8:12] != b"WEBP" else found


def resume_rooms() -> None:
    """After a start: compute again what the rooms of before will ask for."""
    for (code,) in store.open_store().ask("select code from rooms"):
        if (found := find_room(code)) is not None:
            _warm(found)


def await_presenters() -> None:
    """At a start: nobody could be seen meanwhile, so each presenter has a while to come back."""
    store.open_store().ask("update rooms set seen = max(seen, ?)", clock_time() - AWAY + GRACE)


def purge_rooms() -> list[str]:
    """Delete what is a day old or was left by its presenter; the codes of those rooms."""
    held = store.open_store()
    with held.changing():
        gone = "from rooms where opened <= ? or seen <= ?"
        ages = clock_time() - LONGEST, clock_time() - AWAY
        codes = [code for (code,) in held.ask(f"select code {gone}", *ages)]
        held.ask(f"delete {gone}", *ages)
    return codes


def _crowded(held: store.Store, where: tuple[str, int], client: str) -> str | None:
    """The client of whose votes one goes before another comes; None where there is room."""
    sql = "select client, count(*) from votes where room = ? and scene = ? group by client"
    counts: dict[str, int] = dict(held.ask(sql, *where))
    if counts.get(client, 0) >= MOST_OF_CLIENT:
        return client
    full = sum(counts.values()) >= MOST_VOTERS
    return max(counts, key=counts.__getitem__) if full else None


def _current(code: str) -> Room | None:
    return find_room(code)


def _checked(room: Room, value: Any) -> Any:
    """A vote as it is kept. Errors: hall_vote_number, hall_vote_value."""
    question = room.question
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
    if question.kind == "word" and value in scene_texts(room, room.scene).get("words", ()):
        return value
    raise GlassformerError("hall_vote_value")


def _change(room: Room, what: str, *values: Any) -> int:
    """A revision that has the change."""
    sql = f"update rooms set {what}, revision = revision + 1 where code = ?"
    store.open_store().ask(sql, *values, room.code)
    _tell(room.code)
    rows = store.open_store().ask("select revision from rooms where code = ?", room.code)
    return int(rows[0][0]) if rows else 0  # it has ended meanwhile


def _tell(code: str, votes: bool = False) -> None:
    for heard in CHANGED:
        heard(code, votes)


def _free_code(held: store.Store) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
        if not held.ask("select 1 from rooms where code = ?", code):
            return code


def _hash(key: str) -> bytes:
    return sha256(key.encode("utf-8", "replace")).digest()


@lru_cache(maxsize=MOST_ROOMS)
def _lecture(text: str) -> Lecture:
    return read_lecture(text)


def _warm(room: Room) -> None:
    """Compute the runs of all scenes in a thread, and keep what their texts and questions want."""

    def work() -> None:
        from glassformer.app.hall import answers  # late: the model comes with it

        for place, scene in enumerate(room.lecture.scenes):
            with suppress(GlassformerError, sqlite3.IntegrityError):  # the room may have gone
                told = orjson.dumps(
                    answers.prepare_answers(room.lecture, scene, room.language)
                ).decode()
                sql = "insert or replace into prepared values (?, ?, ?)"
                store.open_store().ask(sql, room.code, place, told)
                current = _current(room.code)
                if current is not None and current.scene == place:
                    _change(current, "black = black")
                else:
                    _tell(room.code, votes=True)

    threading.Thread(target=work, name="scenes", daemon=True).start()

"""The rooms: a lecture with a code, its scene on screen, its open question, who may drive.

All of it is in the store; nothing is remembered here, so that a server which was killed goes on
where it was, and any front that shares the store serves any room. A change is told to `CHANGED`,
from whatever thread or front it comes.
"""

import hmac
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson

from glassformer.app.hall import keys
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.stores import store
from glassformer.app.words import say
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
PASSED = 2.0  # seconds: a scene that is left sooner has asked nothing, unless somebody voted
MOST_ROOMS = 50  # of a server
MOST_PICTURE = 200_000  # bytes
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"RIFF": "image/webp"}

# Whose question is seen: the one just revealed, else the last that is open, else the scene's own
# with its answer.
ASKED = """coalesce(shown,
    (select asked.scene from asked where asked.room = code and not exists
        (select 1 from answers where answers.room = code and answers.scene = asked.scene)
        order by place desc limit 1),
    (select answers.scene from answers where answers.room = code and answers.scene = rooms.scene))
"""

# Each called with the code, "" for any room, and "votes alone".
CHANGED: list[Callable[[str, bool], None]] = []
VOTES = " votes"  # behind the code, where other fronts are told that


def clock_time() -> float:
    """Seconds since 1970 on the store's clock: no jump of a front's ends a room."""
    return store.open_store().clock()


@dataclass(frozen=True)
class Room:
    """A room as it is now.

    key: of its driver, in the answer of `open_room` alone: only its hash is kept. asked: the scene
    whose question everybody sees, whatever scene is on; None for no question. revealed: whether its
    truth is out. short: whether the steps leave out what the short path has not. started: when the
    first scene began. played: the number of the proposed sentence on screen; None for the scene's.
    handed: how often the driver's key was handed over.
    """

    code: str
    lecture: Lecture
    language: str
    scene: int
    black: bool
    short: bool
    asked: int | None
    revealed: bool
    played: int | None
    revision: int
    handed: int
    started: float | None
    lock: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    key: str = field(default="", repr=False)

    @property
    def question(self) -> Question | None:
        """The last one that was asked and is open, or the one just revealed."""
        return None if self.asked is None else self.lecture.scenes[self.asked].question

    @property
    def opened(self) -> bool:
        """Whether votes are taken now."""
        return self.asked is not None and not self.revealed


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
        _ask_question(held, code, lecture, 0)
    found = find_room(code)
    assert found is not None
    _warm(found)
    return replace(found, key=key)


def find_room(code: str) -> Room | None:
    """The room of a code; None where there is none, or its presenter has been away too long.

    Nor is there one whose lecture this version cannot read: the room of before an update.
    """
    rows = store.open_store().ask(
        "select *, exists (select 1 from answers where room = code and answers.scene = asked) "
        "from (select opened, seen, code, lecture, language, scene, black, short, "
        f"{ASKED} as asked, played, revision, handed, started, lock, secret "
        "from rooms where code = ?) as here",
        code.strip().upper()[: 2 * CODE],
    )  # fmt: skip
    moment = clock_time()
    if not rows or rows[0][0] <= moment - LONGEST or rows[0][1] <= moment - AWAY:
        return None
    name, text, language, scene, black, short, asked, played, revision, *rest, out = rows[0][2:]
    try:
        held = _lecture(text)
    except GlassformerError:
        return None
    return Room(name, held, language, scene, bool(black), bool(short), asked, bool(out),
                played, revision, *rest)  # fmt: skip


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
    """Put a scene on screen, or the nearest to it, and light it; the revision then.

    Its question opens, and stays open on other scenes; those that a lecture begins with, and asks
    again at its end, close once it goes on. The clock that nobody has started counts
    the first scene with the minutes that are planned for it.
    """
    place = min(max(scene, 0), len(room.lecture.scenes) - 1)
    held, begun = store.open_store(), clock_time() - 60 * room.lecture.scenes[0].minutes
    with held.changing(room.code):
        here = held.ask("select scene from rooms where code = ?", room.code)
        if here and here[0][0] != place:
            held.ask(
                "delete from asked where room = ? and scene = ? and since > ? and not exists "
                "(select 1 from votes where votes.room = asked.room and votes.scene = asked.scene)",
                room.code, here[0][0], clock_time() - PASSED,
            )  # fmt: skip
        if here:
            _ask_question(held, room.code, room.lecture, place)
        if room.lecture.scenes[place].asked != "before":
            _close_questions_before(held, room)
    return change_room(
        room, "scene = ?, black = 0, shown = null, played = null, "
        "started = case when ? > 0 then coalesce(started, ?) else started end", place, place, begun,
    )  # fmt: skip


def start_clock(room: Room) -> int:
    """The first scene begins now, or again; the revision then."""
    return change_room(room, "started = ?", clock_time())


def shorten_path(room: Room, short: bool) -> int:
    """Whether steps leave out what the short path has not; the revision then."""
    return change_room(room, "short = ?", int(short))


def blacken_screens(room: Room, black: bool) -> int:
    """Make the screens black, or light again; the revision then."""
    return change_room(room, "black = ?", int(black))


def hand_over(room: Room) -> str:
    """A new key for whoever drives from now on; the one before opens nothing any more."""
    key = secrets.token_hex(16)
    change_room(room, "lock = ?, handed = handed + 1", _hash(key))
    return key


def scene_texts(room: Room, scene: int) -> dict[str, Any]:
    """Texts with their numbers, words to choose from (`prepare_answers`); {} before the run."""
    sql = "select told from prepared where room = ? and scene = ?"
    rows = store.open_store().ask(sql, room.code, scene)
    return orjson.loads(rows[0][0]) if rows else {}


def put_picture(room: Room, scene: int, body: bytes) -> str:
    """Keep the picture of a scene; its version. Errors: hall_picture_large, hall_picture."""
    if len(body) > MOST_PICTURE:
        raise GlassformerError("hall_picture_large", given=len(body) // 1000, limit=200)
    if picture_type(body) is None or not 0 <= scene < len(room.lecture.scenes):
        raise GlassformerError("hall_picture")
    version = sha256(body).hexdigest()[:12]
    if version != picture_version(room, scene):
        with change_of(room.code, votes=True) as held:  # the driver sees what comes next
            held.ask(
                "insert into pictures values (?, ?, ?, ?) on conflict (room, scene) "
                "do update set version = excluded.version, body = excluded.body",
                room.code, scene, version, body,
            )  # fmt: skip
        current = find_room(room.code)
        if current is not None and current.scene == scene:
            change_room(room, "black = black")
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
    """After a start: compute what the rooms of before will ask for, and nobody has computed."""
    for (code,) in store.open_store().ask("select code from rooms"):
        if (found := find_room(code)) is not None:
            _warm(found)


def await_presenters() -> None:
    """At a start: nobody could be seen meanwhile, so each presenter has a while to come back."""
    since = clock_time() - AWAY + GRACE
    store.open_store().ask("update rooms set seen = ? where seen < ?", since, since)


def purge_rooms() -> list[str]:
    """Delete what is a day old or was left by its presenter; the codes of those rooms."""
    held = store.open_store()
    with held.changing():
        gone = "from rooms where opened <= ? or seen <= ?"
        ages = clock_time() - LONGEST, clock_time() - AWAY
        codes = [code for (code,) in held.ask(f"select code {gone}", *ages)]
        held.ask(f"delete {gone}", *ages)
        for code in codes:
            held.tell(code)
    return codes


def later_answer() -> dict[str, str]:
    """When the answer of a question is told that is asked again at the end, in every language."""
    return {each: say("hall.later", each) for each in LANGUAGES}


def change_room(room: Room, what: str, *values: Any) -> int:
    """Change the columns of a room, and tell its followers; the revision that has the change."""
    sql = f"update rooms set {what}, revision = revision + 1 where code = ?"
    with change_of(room.code) as held:
        held.ask(sql, *values, room.code)
        rows = held.ask("select revision from rooms where code = ?", room.code)
    return int(rows[0][0]) if rows else 0  # it has ended meanwhile


@contextmanager
def change_of(code: str, votes: bool = False) -> Iterator[store.Store]:
    """A change of a room, one at a time on all fronts, told to its followers once it is there.

    votes: of what the driver alone is told.
    """
    held = store.open_store()
    with held.changing(code):
        yield held
        held.tell(code + VOTES * votes)
    hear_change(code + VOTES * votes)


def hear_change(told: str) -> None:
    """What a front tells: a room has changed, or with `VOTES` only that; "": any may have."""
    code = told.removesuffix(VOTES)
    for heard in CHANGED:
        heard(code, code != told)


def _ask_question(held: store.Store, code: str, lecture: Lecture, scene: int) -> None:
    """The question of a scene, where it has one, is the last that was asked."""
    if lecture.scenes[scene].question is not None:
        held.ask(
            "insert into asked values (?, ?, (select coalesce(max(place), 0) + 1 from asked "
            "where room = ?), ?) on conflict (room, scene) do update set place = excluded.place",
            code, scene, code, clock_time(),
        )  # fmt: skip


def _free_code(held: store.Store) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
        if not held.ask("select 1 from rooms where code = ?", code):
            return code


def _close_questions_before(held: store.Store, room: Room) -> None:
    told = orjson.dumps({"later": later_answer()}).decode()
    for scene in [at for at, each in enumerate(room.lecture.scenes) if each.asked == "before"]:
        sql = "insert into answers select room, scene, ? from asked where room = ? and scene = ?"
        held.ask(f"{sql} on conflict do nothing", told, room.code, scene)


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
            with suppress(GlassformerError):  # the room may have gone
                if scene_texts(room, place):
                    continue
                told = answers.prepare_answers(room.lecture, scene, room.language)
                with change_of(room.code, votes=True) as held:
                    sql = "insert into prepared values (?, ?, ?) on conflict do nothing"
                    held.ask(sql, room.code, place, orjson.dumps(told).decode())
                current = find_room(room.code)
                if current is not None and place in (current.scene, current.asked):
                    change_room(current, "black = black")

    threading.Thread(target=work, name="scenes", daemon=True).start()

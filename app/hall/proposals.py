"""What phones send to the presenter: sentences for the screen, and questions.

All of it waits in the room until the presenter picks a sentence; only then it is seen in front.
What comes is text of strangers: bounded, in one line, nothing in it that would be invisible.
"""

import unicodedata
from dataclasses import dataclass
from typing import Any

from glassformer.app.hall import rooms
from glassformer.app.hall.rooms import Room
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError

LONGEST = {"sentence": 200, "question": 300}  # characters
MOST = 200  # kept of a room
MOST_OF_CLIENT = 150  # of them: a whole hall may come from one address
MOST_OF_VOTER = 3  # of a kind, that wait at once
PAUSE = 5.0  # seconds between two of a voter
MOST_A_PAUSE = 60  # of a client in that time
MARKS = 2  # over or under a letter, in a row
JOINERS = "\u200c\u200d"  # inside words of some scripts, and of emoji
BLANKS = "\u115f\u1160\u3164\uffa0\u2800"  # letters and a sign of which nothing is seen


@dataclass(frozen=True)
class Proposal:
    """One that waits; number: of it alone, the newest has the largest."""

    number: int
    kind: str
    text: str


def plain_text(given: str) -> str:
    """A text in one line, without what is invisible or would turn the line round.

    "" where nothing is left that can be read.
    """
    kept, marks = list[str](), 0
    for sign in unicodedata.normalize("NFC", given):
        category = unicodedata.category(sign)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category[0] == "C" and not sign.isspace() and sign not in JOINERS:
            continue
        if marks <= MARKS:
            kept.append(" " if sign.isspace() or sign in BLANKS else sign)
    text = " ".join("".join(kept).split())
    return text if any(unicodedata.category(sign)[0] in "LNPS" for sign in text) else ""


def take_proposal(room: Room, kind: Any, text: Any, voter: str, client: str) -> str:
    """Keep what a phone sends; the text as the presenter sees it.

    Where too many wait, the oldest goes of the client with most of them.
    Errors: hall_proposed, hall_proposed_long, hall_proposed_soon, hall_proposed_many.
    """
    if kind not in tuple(LONGEST) or not isinstance(text, str):
        raise GlassformerError("hall_proposed")
    if not (plain := plain_text(text)):
        raise GlassformerError("hall_proposed")
    if len(plain) > LONGEST[kind]:
        raise GlassformerError("hall_proposed_long", given=len(plain), limit=LONGEST[kind])
    moment = rooms.clock_time()
    with rooms.change_of(room.code, votes=True) as held:
        _check_pace(held, room, (voter, kind), client, moment)
        _make_room(held, room, client)
        held.ask(
            "insert into proposals (room, voter, client, kind, text, sent) "
            "values (?, ?, ?, ?, ?, ?)",
            room.code, voter, client, kind, plain, moment,
        )  # fmt: skip
    return plain


def proposals_of(room: Room) -> list[Proposal]:
    """All that wait, the newest first."""
    sql = "select number, kind, text from proposals where room = ? order by number desc"
    return [Proposal(*each) for each in store.open_store().ask(sql, room.code)]


def count_proposals(room: Room) -> dict[str, int]:
    """How many of each kind wait, and the newest one's number."""
    sql = "select kind, count(*), max(number) from proposals where room = ? group by kind"
    rows = store.open_store().ask(sql, room.code)
    counts = {kind: count for kind, count, _ in rows}
    newest = max((number for *_, number in rows), default=0)
    return {**dict.fromkeys(LONGEST, 0), **counts, "newest": newest}


def drop_proposal(room: Room, number: int) -> None:
    """Take one away; it stays in front if it is there."""
    sql = "delete from proposals where room = ? and number = ? and number <> coalesce(?, -1)"
    with rooms.change_of(room.code, votes=True) as held:
        held.ask(sql, room.code, number, room.played)


def play_proposal(room: Room, number: int | None) -> int:
    """Put a proposed sentence on the screen, None for the scene's own; the revision then.

    Errors: hall_proposed_gone where it is none, or waits no more.
    """
    if number is not None and not _sentence(room, number):
        raise GlassformerError("hall_proposed_gone")
    return rooms.change_room(room, "black = 0, played = ?", number)


def played_sentence(room: Room) -> str:
    """The proposed sentence on screen; "" for the scene's own."""
    return _sentence(room, room.played) if room.played is not None else ""


def _sentence(room: Room, number: int) -> str:
    sql = "select text from proposals where room = ? and number = ? and kind = 'sentence'"
    rows = store.open_store().ask(sql, room.code, number)
    return str(rows[0][0]) if rows else ""


def _check_pace(
    held: store.Store, room: Room, voter_and_kind: tuple[str, str], client: str, moment: float
) -> None:
    sql = "select count(*), max(sent) from proposals where room = ? and voter = ? and kind = ?"
    ((own, last),) = held.ask(sql, room.code, *voter_and_kind)
    sql = "select count(*) from proposals where room = ? and client = ? and sent > ?"
    ((of_client,),) = held.ask(sql, room.code, client, moment - PAUSE)
    if of_client >= MOST_A_PAUSE or (last is not None and last > moment - PAUSE):
        raise GlassformerError("hall_proposed_soon")
    if own >= MOST_OF_VOTER:
        raise GlassformerError("hall_proposed_many", limit=MOST_OF_VOTER)


def _make_room(held: store.Store, room: Room, client: str) -> None:
    sql = "select client, count(*) from proposals where room = ? group by client"
    counts: dict[str, int] = dict(held.ask(sql, room.code))
    full = sum(counts.values()) >= MOST
    crowd = client if counts.get(client, 0) >= MOST_OF_CLIENT else None
    if crowd is None and full:
        crowd = max(counts, key=counts.__getitem__)
    if crowd is not None:
        held.ask(
            "delete from proposals where number = (select min(number) from proposals "
            "where room = ? and client = ? and number <> coalesce(?, -1))",
            room.code, crowd, room.played,
        )  # fmt: skip

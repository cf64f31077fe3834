"""How many follow a room on all fronts: each front notes its own, and adds what the others did."""

from collections.abc import Mapping

from glassformer.app.hall import rooms
from glassformer.app.stores import store

NOTED = 4.0  # seconds after which a front notes the same again
GONE = 10.0  # seconds without a note after which a front has ended


def note_followers(counts: Mapping[str, int]) -> set[str]:
    """The followers of this front's rooms by their codes, in place of those noted before.

    Returns the rooms that lost those of a front which has ended: here, too, fewer follow.

    Errors: those of the store.
    """
    held = store.open_store()
    with held.changing(held.front):
        sql = "select room, followers from present where front = ?"
        before: dict[str, int] = dict(held.ask(sql, held.front))
        ended = rooms.clock_time() - GONE  # fronts that were killed and noted nothing more
        gone = {code for (code,) in held.ask("select room from present where seen <= ?", ended)}
        held.ask("delete from present where front = ? or seen <= ?", held.front, ended)
        for code, count in counts.items():
            sql = "insert into present select ?, code, ?, ? from rooms where code = ?"
            held.ask(sql, held.front, count, rooms.clock_time(), code)
        changed = {each for each in {**before, **counts} if before.get(each) != counts.get(each)}
        for code in changed | gone:
            held.tell(code + rooms.VOTES)
    return gone


def count_elsewhere(code: str) -> int:
    """How many follow a room on the other fronts."""
    held, since = store.open_store(), rooms.clock_time() - GONE
    rows = held.ask("select front, followers, seen from present where room = ?", code)
    return sum(count for front, count, seen in rows if front != held.front and seen > since)

"""A front without pages, for tests in which several processes share a store.

`python -m tests.hall.front vote CODES SCENE FIRST COUNT`: so many voters vote in each room, every
tenth of them twice.
`… hear CODE`: says the room's scene whenever another process changes anything, and the time then.
`… hang CODE`: deletes the votes of a room, and never ends that change. `… key`: the shared secrets.
"""

import sys
import time
from secrets import token_hex
from typing import Any

from glassformer.app.hall import keys, rooms, votes
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError


def patient(act: Any, *given: Any) -> Any:
    """As phones do: what is refused because somebody else is writing is sent again."""
    while True:
        try:
            return act(*given)
        except GlassformerError as error:
            if error.key != "hall_busy":
                raise


def vote(codes: str, scene: str, first: str, count: str) -> None:
    found = [rooms.find_room(code) for code in codes.split(",")]
    tell("ready")
    sys.stdin.readline()
    for number in range(int(first), int(first) + int(count)):
        for room in filter(None, found):
            for value in (0, number % 3) if number % 10 == 0 else (number % 3,):
                patient(votes.take_vote, room, int(scene), f"voter-{number}", value, first)


def hear(code: str) -> None:
    def heard(_topic: str) -> None:
        room = rooms.find_room(code)
        tell(f"{room and room.scene} {time.time()!r}")

    store.open_store().watch(heard)
    tell("ready")
    sys.stdin.readline()


def hang(code: str) -> None:
    with rooms.change_of(code) as held:
        held.ask("delete from votes where room = ?", code)
        tell("ready")
        sys.stdin.readline()


def key() -> None:
    tell(f"{keys.presenter_key()} {store.shared_value('cookie_secret', token_hex)}")


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {each.__name__: each for each in (vote, hear, hang, key)}[sys.argv[1]](*sys.argv[2:])

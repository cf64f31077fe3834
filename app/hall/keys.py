"""Who may come in: the presenter's key, wrong codes counted, the cookie of an anonymous voter."""

import asyncio
import hmac
import secrets
import time
from collections import Counter, OrderedDict, deque
from hashlib import sha256

from glassformer.app.server import network
from glassformer.app.stores import store
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
# Who guesses is slowed down, and who is right is never refused. After so many wrong codes in a span
# the codes of a client, and of all clients, that no cookie speaks for are looked up one after
# another: each wrong one holds up the next. So one client guesses 20 codes a second, all of them
# together 50: in a lecture of two hours 360,000 of the 24^6 = 191,102,976 that there are, one
# chance in 500 for all guessers of the world, of what anybody in the hall has: a seat and a vote.
WRONG, WRONG_ALL, SPAN = 10, 200, 60.0
PAUSE, PAUSE_ALL = 0.05, 0.02  # seconds
MOST_WAITING, MOST_WAITING_ALL = 400, 2000  # requests; more are sent away for a moment
MOST_CLIENTS = 10_000  # remembered; of more the first go
ALL = ""  # counts every client

now = time.monotonic


class Attempts:
    """Wrong codes by client, and how long the next code waits."""

    def __init__(self) -> None:
        self._wrong = OrderedDict[str, deque[float]]()
        self._free = dict[str, float]()  # when the next one is looked up
        self._waiting = Counter[str]()

    async def turn(self, client: str) -> None:
        """Waits until a code of this client is looked up. Errors: hall_wait for a flood."""
        limits = {client: MOST_WAITING, ALL: MOST_WAITING_ALL}
        if self._pause(client) <= 0:
            return
        if any(self._waiting[each] >= most for each, most in limits.items()):
            raise GlassformerError("hall_wait")
        self._waiting.update(limits.keys())
        try:
            while (pause := self._pause(client)) > 0:
                await asyncio.sleep(pause)
        finally:
            self._waiting.subtract(limits.keys())
            self._waiting += Counter()

    def wrong(self, client: str) -> None:
        """A client was wrong."""
        for each, most, pause in ((client, WRONG, PAUSE), (ALL, WRONG_ALL, PAUSE_ALL)):
            times = self._wrong.setdefault(each, deque(maxlen=most))
            if len(times) == most and times[0] > now() - SPAN:
                self._free[each] = now() + pause
            times.append(now())
            self._wrong.move_to_end(each)
        while len(self._wrong) > MOST_CLIENTS:
            gone, _ = self._wrong.popitem(last=False)
            self._free.pop(gone, None)

    def clear(self) -> None:
        """Forget all of it."""
        self._wrong.clear()
        self._free.clear()

    def _pause(self, client: str) -> float:
        return max(self._free.get(client, 0.0), self._free.get(ALL, 0.0)) - now()


CODES = Attempts()


def is_open() -> bool:
    """Whether lectures can have an audience on this server."""
    return read_settings().hall != "off"


def is_asked() -> bool:
    """Whether a room asks for the presenter's key: where others than this machine come in."""
    return read_settings().hall == "key" or network.listens_beyond()


def presenter_key() -> str:
    """The key that each front of the store prints at its start, such as "K7QX-W2MP"."""
    return store.shared_value("presenter_key", _drawn_key)


def _drawn_key() -> str:
    drawn = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{drawn[:4]}-{drawn[4:]}"


def check_key(given: str) -> None:
    """Errors: hall_off, hall_key where the presenter's key is asked for and this is another."""
    if not is_open():
        raise GlassformerError("hall_off")
    if not is_asked():
        return
    plain, right = (each.upper().replace("-", "").strip() for each in (given, presenter_key()))
    if not hmac.compare_digest(plain.encode("utf-8", "replace"), right.encode()):
        raise GlassformerError("hall_key")


def startup_line() -> str:
    """One line for the server's start; "" where there is nothing to say."""
    if not is_open():
        return "Lectures have no audience here (HALL=off)."
    if not is_asked():
        return ""
    return f"Who opens a lecture for the hall is asked for this key: {presenter_key()}"


def new_voter(secret: bytes) -> str:
    """The cookie of a new voter of a room: a random number, and that this room drew it."""
    drawn = secrets.token_hex(12)
    return f"{drawn}.{_signed(secret, drawn)}"


def voter(secret: bytes, cookie: str) -> str | None:
    """Who a cookie says that it is; None for one that the room did not draw."""
    drawn, _, sign = cookie.partition(".")
    good = hmac.compare_digest(sign.encode("utf-8", "replace"), _signed(secret, drawn).encode())
    return drawn if good else None


def ticket(secret: bytes) -> str:
    """What the picture of a code has beside it: who scans it was not guessing."""
    return _signed(secret, "ticket")[:10]


def is_ticket(secret: bytes, given: str) -> bool:
    """Whether somebody has scanned the picture."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), ticket(secret).encode())


def hash_client(secret: bytes, client: str) -> str:
    """What a room keeps of an address: enough to count by, nothing to find anybody with."""
    return _signed(secret, f"client {client}")[:12]


def _signed(secret: bytes, drawn: str) -> str:
    return hmac.new(secret, drawn.encode("utf-8", "replace"), sha256).hexdigest()[:24]

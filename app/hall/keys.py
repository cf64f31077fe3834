"""Who may come in: the presenter's key, wrong codes counted, the cookie of an anonymous voter."""

import hmac
import secrets
import time
from collections import OrderedDict, deque
from functools import cache
from hashlib import sha256

from app.server import network
from core.errors import GlassformerError
from core.settings import read_settings

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
WRONG, SPAN = 10, 60.0  # so many wrong ones in so many seconds
MOST_CLIENTS = 10_000  # remembered; of more the first go

now = time.monotonic


class Attempts:
    """Wrong attempts by client: ten a minute, then none is listened to for a while."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def too_many(self, client: str) -> bool:
        """Whether a client has tried too often."""
        times = self._wrong.get(client, deque())
        while times and times[0] <= now() - SPAN:
            times.popleft()
        return len(times) >= WRONG

    def wrong(self, client: str) -> None:
        """A client was wrong."""
        self._wrong.setdefault(client, deque(maxlen=WRONG)).append(now())
        while len(self._wrong) > MOST_CLIENTS:
            self._wrong.popitem(last=False)

    def clear(self) -> None:
        """Forget all of it."""
        self._wrong.clear()


CODES = Attempts()  # by the client's address


def is_open() -> bool:
    """Whether lectures can have an audience on this server."""
    return read_settings().hall != "off"


def is_asked() -> bool:
    """Whether a room asks for the presenter's key: where others than this machine come in."""
    return read_settings().hall == "key" or network.listens_beyond()


@cache
def presenter_key() -> str:
    """The key that the server prints at its start, such as "K7QX-W2MP"."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{drawn[:4]}-{drawn[4:]}"


def check(given: str) -> None:
    """Errors: hall_off, hall_key where the presenter's key is asked for and this is another."""
    if not is_open():
        raise GlassformerError("hall_off")
    if not is_asked():
        return
    plain, right = (each.upper().replace("-", "").strip() for each in (given, presenter_key()))
    if not hmac.compare_digest(plain.encode("utf-8", "replace"), right.encode()):
        raise GlassformerError("hall_key")


def said() -> str:
    """One line for the server's start; "" where there is nothing to say."""
    if not is_open():
        return "Lectures have no audience here (HALL=off)."
    return f"Who opens a lecture for the hall is asked for this key: {presenter_key()}" * is_asked()


def new_voter(secret: bytes) -> str:
    """The cookie of a new voter of a room: a random number, and that this room drew it."""
    drawn = secrets.token_hex(12)
    return f"{drawn}.{_signed(secret, drawn)}"


def voter(secret: bytes, cookie: str) -> str | None:
    """Who a cookie says that it is; None for one that the room did not draw."""
    drawn, _, sign = cookie.partition(".")
    good = hmac.compare_digest(sign.encode("utf-8", "replace"), _signed(secret, drawn).encode())
    return drawn if good else None


def _signed(secret: bytes, drawn: str) -> str:
    return hmac.new(secret, drawn.encode("utf-8", "replace"), sha256).hexdigest()[:24]

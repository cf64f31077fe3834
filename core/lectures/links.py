"""Links to a screen: short ones are in plain words, long ones packed into one parameter.

That is `z=` and the base64url of the zlib of what the plain query would be.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

PACKED = "z"
PLAIN = 1500  # characters of a query that stays as it is
LONGEST = 7000  # of any query: servers and browsers take an address of 8 KB
INFLATED = 200_000  # bytes that a packed one may hold
MOST = 500  # parameters


def pack_query(query: Mapping[str, str]) -> dict[str, str]:
    """The query as it stands in the address: a long one is packed.

    Where even packed it is too long, its largest part stays out, then the next, until it fits.

    Args:
        query: in plain words.

    Returns:
        The same up to `PLAIN` characters, else {"z": base64url of its zlib}.
    """
    fitting = dict(query)
    while len(plain := urlencode(fitting, errors="replace")) > PLAIN:
        data = zlib.compress(plain.encode("ascii"), 9)
        text = base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")
        if len(text) + len(PACKED) < LONGEST and len(plain) <= INFLATED:
            return {PACKED: text}
        del fitting[max(fitting, key=lambda name: len(fitting[name]))]
    return fitting


def unpack_query(query: Mapping[str, str]) -> dict[str, str]:
    """The plain query again.

    What stands beside the packed parameter goes before what is in it.

    Args:
        query: of an address, packed or not.

    Returns:
        In plain words; a packed one that cannot be opened, or holds too much, stays as it is: at
        most `INFLATED` bytes are made.
    """
    if PACKED not in query:
        return dict(query)
    beside = {name: text for name, text in query.items() if name != PACKED}
    try:
        return _inflated(query[PACKED]) | beside
    except (ValueError, binascii.Error, zlib.error):
        return dict(query)


def _inflated(text: str) -> dict[str, str]:
    if len(text) > LONGEST:
        raise ValueError(len(text))
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    unzip = zlib.decompressobj()
    plain = unzip.decompress(data, INFLATED)
    if not unzip.eof:
        raise ValueError("too large, or cut off")
    return dict(parse_qsl(plain.decode("ascii"), keep_blank_values=True, max_num_fields=MOST))

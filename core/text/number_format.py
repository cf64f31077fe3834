"""Numbers as people read them, on screens and in lectures."""

import math
from functools import lru_cache

MINUS = "\N{MINUS SIGN}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=16384, typed=True)
def format_number(value: float, digits: int = 3) -> str:
    """A number with significant digits and a true minus; whole numbers (int) as they are.

    Args:
        value: the number.
        digits: significant ones, of what is no int.

    Returns:
        "0.123"; outside 0.0001 … 999999 "1.23×10⁻⁷"; "∞", "−∞" and "NaN".
    """
    if isinstance(value, int):
        return f"{value}".replace("-", MINUS)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return f"{MINUS}∞" if value < 0 else "∞"
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if -5 < exponent < 6:
        return f"{value:.{max(digits - 1 - exponent, 0)}f}".replace("-", MINUS)
    return f"{mantissa}×10{str(exponent).translate(SUPERSCRIPT)}".replace("-", MINUS)


def format_percent(share: float, digits: int = 3) -> str:
    """A share for prose.

    Args:
        share: 0 to 1.
        digits: 3 or fewer give one decimal, each further one a decimal more.

    Returns:
        "97.1%"; "<0.1%" and ">99.9%" near the ends, "100%" from 1 on; "NaN" where there is no
        number.
    """
    if math.isnan(share):
        return "NaN"
    percent = 100 * share
    if 0 < percent < 0.1:
        return "<0.1%"
    if percent >= 99.95:
        return "100%" if share >= 1 else ">99.9%"
    return f"{percent:.{1 if digits <= 3 else digits - 2}f}%"

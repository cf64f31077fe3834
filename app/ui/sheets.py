"""The texts of the style sheets; it imports nothing: the first page needs them at once."""

import re
from functools import cache
from pathlib import Path

SIZES = (100, 125, 150)  # of the type, in percent


def layout_rules(size: int) -> str:
    """The rules of the frame and of all boxes. size: of the type, in percent."""
    texts = (sheet_text(__file__, f"{name}.css") for name in ("layout", "style"))
    return "\n".join((*texts, _sizes(size)))


@cache
def _sizes(percent: int) -> str:
    """The rules for small windows, with their bounds in pixels.

    In a condition the browser takes 1rem for 16 pixels, whatever the size of the type.
    """

    def pixels(bound: re.Match[str]) -> str:
        return f"< {float(bound[1]) * 16 * percent / 100:g}px"

    return re.sub(r"< ([\d.]+)rem", pixels, sheet_text(__file__, "sizes.css"))


@cache
def sheet_text(module: str, name: str) -> str:
    """A style sheet: the file `name` beside a module."""
    return Path(module).with_name(name).read_text(encoding="utf-8")

"""Colour by role, the same in figures, text and formulas; light and dark.

Sequential scales run from the panel colour to the role colour, mixed in OKLab so that equal steps
of the value are equal steps for the eye. The diverging scale is blue – panel – orange-red.
"""

from functools import lru_cache

import numpy as np

LIGHT = {
    "query": "#2563EB",
    "key": "#C2410C",
    "value": "#15803D",
    "weights": "#7C3AED",
    "data": "#0F766E",
    "feed_forward": "#A16207",
    "norm": "#5D6472",
    "changed": "#BE185D",
    "page": "#FFFFFF",
    "panel": "#F7F8FA",
    "text": "#111827",
    "faint": "#5D6472",
    "line": "#D5DAE1",
}
DARK = {
    "query": "#7AA2FF",
    "key": "#FF9A6B",
    "value": "#6FD08C",
    "weights": "#B79CFF",
    "data": "#5CC8BD",
    "feed_forward": "#E5B84B",
    "norm": "#A7B0BD",
    "changed": "#FF7AB8",
    "page": "#0E1117",
    "panel": "#161B22",
    "text": "#E6EAF0",
    "faint": "#9AA4B2",
    "line": "#303844",
}
# The closest two differ by 0.119 (light) and 0.124 (dark) in OKLab with normal sight, protanopia,
# deuteranopia and tritanopia alike, and each has a contrast of at least 3 to the page.
HEADS_LIGHT = "#4861D5 #A09600 #B23586 #259CDE #374400 #D56A8F #890063 #787121".split()
HEADS_DARK = "#F38300 #B786FF #00DA9A #4861D5 #EDAEFF #BE3E00 #3CA694 #8F588A".split()

READABLE = 4.5  # contrast of text to what is behind it, WCAG 2 AA
Scale = list[list[float | str]]


def colour(role: str, dark: bool = False) -> str:
    """The colour of a role ("query", "weights", "panel", …) as "#RRGGBB".

    Errors: KeyError for a role that is not in the table.
    """
    return (DARK if dark else LIGHT)[role]


def head_colour(head: int, dark: bool = False) -> str:
    """The hue of a head; beyond eight heads the hues come again, lighter or darker."""
    hues = HEADS_DARK if dark else HEADS_LIGHT
    hue, turn = hues[head % len(hues)], head // len(hues)
    return mix_colours(hue, colour("text" if turn % 2 else "page", dark), min(0.3 * turn, 0.6))


def sequential(role: str, dark: bool = False) -> Scale:
    """Plotly colour scale from 0 (panel colour) to the largest value (role colour)."""
    return _scale((colour("panel", dark), colour(role, dark)))


def diverging_scale(dark: bool = False) -> Scale:
    """Plotly colour scale for signed values: give it a range symmetric about 0."""
    return _scale((colour("query", dark), colour("panel", dark), colour("key", dark)))


@lru_cache(maxsize=1024)
def mix_colours(first: str, second: str, share: float) -> str:
    """The colour that lies `share` (0–1) of the way from the first to the second, in OKLab."""
    a, b = _to_oklab(first), _to_oklab(second)
    return _from_oklab(a + (b - a) * share)


def fade_colour(value: str, opacity: float) -> str:
    """A "#RRGGBB" colour as "rgba(…)" with an opacity of 0–1."""
    red, green, blue = _channels(value)
    return f"rgba({red},{green},{blue},{opacity:g})"


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2, from 1 (none) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=1024)
def readable_on(background: str) -> str:
    """The text colour, dark or light, that reads better on a background: with 4.5 : 1 or more."""
    best = max(LIGHT["text"], LIGHT["page"], key=lambda text: contrast(text, background))
    # In the middle between the two neither is enough; black is.
    return best if contrast(best, background) >= READABLE else "#000000"


@lru_cache(maxsize=64)
def _scale(ends: tuple[str, ...], steps: int = 8) -> Scale:
    spans = len(ends) - 1
    stops: Scale = [
        [(span + step / steps) / spans, mix_colours(ends[span], ends[span + 1], step / steps)]
        for span in range(spans)
        for step in range(steps)
    ]
    return [*stops, [1.0, ends[-1]]]


def _channels(value: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(value[1:]))


def _linear(value: str) -> np.ndarray:
    parts = np.array(_channels(value)) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _luminance(value: str) -> float:
    return float(_linear(value) @ np.array([0.2126, 0.7152, 0.0722]))


# The matrices of OKLab (Björn Ottosson, 2020).
_TO_CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
_TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
_FROM_LAB = np.array([
    [1.0, 0.3963377774, 0.2158037573],
    [1.0, -0.1055613458, -0.0638541728],
    [1.0, -0.0894841775, -1.2914855480],
])  # fmt: skip
_FROM_CONES = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])  # fmt: skip


@lru_cache(maxsize=256)
def _to_oklab(value: str) -> np.ndarray:
    lab: np.ndarray = _TO_LAB @ np.cbrt(_TO_CONES @ _linear(value))
    return lab


def _from_oklab(lab: np.ndarray) -> str:
    parts = (_FROM_CONES @ (_FROM_LAB @ lab) ** 3).clip(0.0, 1.0)
    levels = np.where(parts <= 0.0031308, parts * 12.92, 1.055 * parts ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{level:02X}" for level in np.rint(levels * 255).astype(int))

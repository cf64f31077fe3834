r"""LaTeX as MathML, which browsers set without a script or a font of ours.

The package that does most of it reads no `aligned` rows and sets \mathrm letter by letter; a
formula that it cannot read stays LaTeX, and stands as such on the page.
"""

import re
from functools import lru_cache
from html import escape

from latex2mathml.converter import convert

_ROWS = re.compile(r"^\\begin\{aligned\}(.*)\\end\{aligned\}$", re.DOTALL)
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?")
_WORD = re.compile(r"\\(?:mathrm|operatorname)\{([A-Za-z]{2,})\}")
_NOT_KNOWN = re.compile(
    r"\\(?:nobreak|allowbreak|normalsize|footnotesize|boldsymbol|rule\{[^}]*\}\{[^}]*\})"
)
_SPACED = re.compile(r"\\(begin|end)\{(cases)\}\s*")
_MATH = re.compile(r"^<math[^>]*>|</math>$")


@lru_cache(maxsize=1024)
def mathml(latex: str, display: bool = False) -> str:
    """A formula as markup; as code where it cannot be read."""
    plain = _WORD.sub(r"\\text{\1}", _NOT_KNOWN.sub("", latex.strip()))
    rows = _ROWS.match(plain)
    inside = _table(rows[1]) if rows else _inside(plain)
    if inside is None:
        return f"<code>{escape(latex)}</code>"
    place = "block" if display or rows else "inline"
    return f'<math display="{place}">{inside}</math>'


def _table(rows: str) -> str | None:
    """Rows of cells, the first of each to the right, as `aligned` sets them."""
    cells = [[_inside(cell) for cell in row.split("&")] for row in _ROW_END.split(rows)]
    if any(cell is None for row in cells for cell in row):
        return None
    lines = ("".join(f"<mtd>{cell}</mtd>" for cell in row) for row in cells)
    return f'<mtable class="aligned">{"".join(f"<mtr>{line}</mtr>" for line in lines)}</mtable>'


def _inside(latex: str) -> str | None:
    if not latex.strip():
        return ""
    try:
        found = _MATH.sub("", convert(_SPACED.sub(r"\\\1{\2}", latex)))
    except Exception:  # whatever that package raises: the LaTeX itself can be shown
        return None
    return None if "\\" in found else found

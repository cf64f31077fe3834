"""Pictures of a run in a notebook: importing this gives every run `.show()` and `.lines()`.

They are drawn by the app's own components, in Jupyter, marimo and Colab alike; the package
anywidget is needed. Beside its component each has HTML, which is seen where no widgets run.
`trace.show("encoder/1/self_attention/weights", head=0)` draws any recorded tensor, `trace.lines()`
the words joined by cross-attention, `trace.show.lens()` and its like the panels of the app.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import orjson
import traitlets
from streamlit import config
from streamlit.logger import set_log_level

# No server runs here, and its warnings of that say nothing to a reader.
config.set_option("logger.level", "error")
set_log_level("ERROR")

from glassformer.app.panels.address_words import side_of
from glassformer.app.panels.words.words_panel import word_lines_data
from glassformer.app.plots.axes import Side
from glassformer.app.plots.colours import DARK, LIGHT
from glassformer.app.plots.sheet import HEIGHT, tensor_heatmap
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.takeaway.panel_pictures import cross_attention_table
from glassformer.app.ui import chart  # noqa: F401 – registers the component
from glassformer.app.ui.component import component_expression, json_bytes
from glassformer.app.ui.scripts import plotly_script
from glassformer.app.words import say
from glassformer.core.analysis.measure import measure
from glassformer.core.analysis.tensor_slice import cut_sheet, plan_sheet, pool_sheet
from glassformer.core.trace.results import GridAxis, ResultGrid
from glassformer.core.trace.results import Picture as HtmlPicture
from glassformer.core.trace.trace import Trace, check_places

WIDEST = 256  # lines of a picture; more are pooled
ROW, AROUND = 30, 70  # pixels of a word, and above and below all of them


def _module(name: str) -> str:
    """A component as the module that a notebook loads: its function, called by widgets.js."""
    own = Path(__file__).with_name("widgets.js").read_text(encoding="utf-8")
    return f"const mount = {component_expression(name)};\n{own}"


class Picture(anywidget.AnyWidget):
    """A component of the app, with what it draws."""

    data = traitlets.Bytes().tag(sync=True)
    colours = traitlets.Dict().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    draws = traitlets.Unicode("").tag(sync=True)  # "plotly" where it needs that script
    sent = traitlets.Dict().tag(sync=True)  # what was clicked last: {"event": …, "value": …}

    def __init__(
        self, data: bytes, height: int, theme: str, plain: Callable[[], HtmlPicture]
    ) -> None:
        """plain: makes the same as HTML."""
        if theme not in ("light", "dark"):
            raise ValueError(f'theme is {theme!r}; it may be "light" or "dark"')
        roles = DARK if theme == "dark" else LIGHT
        super().__init__(data=data, height=height, colours=roles)
        self._plain = plain

    def _repr_mimebundle_(self, **asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # Colab's frames, pages of nbconvert and files on GitHub may have no widgets, but take HTML.
        data, about = super()._repr_mimebundle_(**asked) or ({}, {})
        return data | {"text/html": self._plain().html}, about


class Lines(Picture):
    """Words in two columns and the lines between them."""

    _esm = _module("word_lines")


class Chart(Picture):
    """A chart. plotly.js is sent once, when the first chart of a page asks for it."""

    _esm = _module("chart")

    def __init__(
        self, data: bytes, height: int, theme: str, plain: Callable[[], HtmlPicture]
    ) -> None:
        super().__init__(data, height, theme, plain)
        self.draws = "plotly"
        self.on_msg(lambda _, content, __: self._answer(content))

    def _answer(self, asked: Any) -> None:
        if asked == {"wants": "plotly"}:
            self.send({"has": "plotly"}, [plotly_script()])


def show(
    trace: Trace, address: str, theme: str = "light", language: str = LANGUAGES[0], **at: int
) -> Chart:
    """A recorded tensor as a heat map, as the Tensors page draws it.

    at: where its other axes are held, such as head=0; at 0 without. Errors: GlassformerError for an
    address or an axis that the run has not, or an index beyond its end.
    """
    check_places(address, trace.axes(address), at)
    sheet = pool_sheet(cut_sheet(trace, address, plan_sheet(trace, address, pins=at)), WIDEST)
    sides = side_of(sheet.rows, language), side_of(sheet.columns, language)
    held = "".join(f", {name} {index}" for name, index in at.items())
    role = trace.site(address).role
    return _chart(sheet.values, sheet.allowed, sides, role, f"{address}{held}", theme, language)


def show_grid(
    grid: ResultGrid, theme: str = "light", language: str = LANGUAGES[0]
) -> Chart | HtmlPicture:
    """What a tool found as a heat map, as the Tensors page draws one; words at its sides.

    A grid of more or fewer than two axes, or one too large to be read, is drawn without the
    component.
    """
    if grid.values.ndim != 2 or max(grid.values.shape) > WIDEST:
        return grid.picture()
    sides = [
        Side(axis.name.capitalize(), range(1, len(axis.labels) + 1), _tokens(axis))
        for axis in grid.axes
    ]
    values = grid.values.astype(np.float32)
    return _chart(values, None, (sides[0], sides[1]), "data", grid.title, theme, language)


def _tokens(axis: GridAxis) -> list[str] | None:
    """The words of an axis; none where its labels are numbers that only count."""
    counts = tuple(axis.labels) == tuple(range(len(axis.labels)))
    return None if counts else [str(label) for label in axis.labels]


def _chart(
    values: np.ndarray, allowed: np.ndarray | None, sides: tuple[Side, Side], role: str, name: str,
    theme: str, language: str,
) -> Chart:  # fmt: skip
    """A heat map with the words that are said around it. name: what it is of."""
    look, texts = FigureStyle(dark=theme == "dark"), ("value", "masked")
    figure = tensor_heatmap(
        values,
        allowed,
        sides,
        measure(values, allowed).limits,
        role,
        tuple(say(f"tensors.{name}", language) for name in texts),  # type: ignore[arg-type]
        look,
    )
    words = {
        "image": say("frame.chart_image", language),
        "full": say("frame.chart_full", language),
        "failed": say("frame.chart_failed", language),
        "keys": say("frame.chart_keys", language),
    }
    alt, file = (
        say("tensors.picture_alt", language, address=name),
        name.partition(",")[0].replace("/", "."),
    )
    more = {"name": file, "alt": alt, "height": HEIGHT, "words": words}
    data = {"figure": orjson.Fragment(figure.written()), "more": more}
    return Chart(orjson.dumps(data), HEIGHT, theme, partial(_plain, values, allowed, sides, name))


def _plain(
    values: np.ndarray, allowed: np.ndarray | None, sides: tuple[Side, Side], name: str
) -> HtmlPicture:
    """A heat map as a table of HTML; what a mask hides is empty."""
    seen = values.astype(float) if allowed is None else np.where(allowed, values, np.nan)
    axes = tuple(
        GridAxis(side.title, tuple(side.tokens or side.numbers), bool(side.tokens))
        for side in sides
    )
    return ResultGrid(name, "value", seen, axes).picture()


def lines_widget(
    trace: Trace, layer: int | None = None, head: int | None = None, theme: str = "light",
    language: str = LANGUAGES[0],
) -> Lines:  # fmt: skip
    """Source and output joined by cross-attention, as the Translate page draws them.

    layer: the last one without. head: the mean of all heads without. A run that was forced or
    decoded alike has them. Errors: GlassformerError for a layer or a head that the model has not.
    """
    at = trace.config.decoder_layers - 1 if layer is None else layer
    address = f"decoder/{at}/cross_attention/weights"
    check_places(address, trace.axes(address), {} if head is None else {"head": head})
    data = word_lines_data(trace, at, head, FigureStyle(dark=theme == "dark"), language=language)
    rows = max(len(trace.source_tokens), len(trace.output_tokens))
    table = partial(cross_attention_table, trace, at, head)
    return Lines(json_bytes(data), AROUND + ROW * rows, theme, table)


Trace.lines = lines_widget  # type: ignore[attr-defined]
ResultGrid.show = show_grid  # type: ignore[assignment, method-assign]

"""Put a figure on the page the same way everywhere.

A chart of ours stays where it is and is given new data (`Plotly.react`); Streamlit's own element
is taken down and built anew whenever a number changes, which costs most of a click. Nor does it
report clicks on heat maps: its `on_select` is of points alone. Without a browser, in
AppTest, it stands in for ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import orjson
import streamlit as st

from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.store import get_state
from glassformer.app.ui import scripts
from glassformer.app.ui.component import component
from glassformer.app.words import say

HEIGHT = 450  # of a chart that says nothing of its height, as plotly.js has it

_chart = component(
    __file__,
    "chart",
    isolate_styles=False,
    scripts=("chart_library.js", "chart_keys.js", "chart_words.js"),
)


@dataclass(frozen=True)
class Click:
    """One click on a point of a chart, in the coordinates of its axes."""

    chart: str  # the chart's key
    x: float  # on token axes: the position, an int
    y: float
    curve: int  # index of the trace in the figure
    custom: Any  # the point's customdata, None without

    @staticmethod
    def of(chart: str, value: dict[str, Any]) -> "Click":
        """The click in what the browser sent of a chart."""
        x, y = (int(at) if at.is_integer() else at for at in map(float, (value["x"], value["y"])))
        return Click(chart, x, y, int(value["curve"]), value.get("custom"))


def current_look() -> FigureStyle:
    """Theme, type size and precision of this reader, for the figure builders."""
    now = get_state()
    theme = now.theme or st.context.theme.type  # of the link before that of the browser
    return FigureStyle(dark=theme == "dark", size=now.size, precision=now.precision)


def show_chart(
    figure: Figure, key: str, alt: str, file_name: str | None = None, fill: bool = False,
    clicked: Callable[[Click], None] | None = None,
) -> None:  # fmt: skip
    """Draw a figure over the full width of its place, and with `fill` over its full height.

    key: unique on the page, what its clicks and the tests name it by. alt: what a screen reader
    says. file_name: of the image that the chart's camera button saves; the key without it.
    clicked: called before the rerun when one of its points is clicked.
    """
    if not scripts.is_served():
        place: Literal["stretch", "content"] = "stretch" if fill else "content"
        st.plotly_chart(figure.of_plotly, height=place, theme=None, key=key, alt=alt)
        return
    height = None if fill else figure.height or HEIGHT
    data = _packed(
        figure, name=file_name or key, alt=alt, height=height, clicks=clicked is not None
    )
    heard = {} if clicked is None else {"click": lambda sent: clicked(Click.of(key, sent))}
    _chart(key, data, height=height or "stretch", **heard)


def _packed(figure: Figure, **more: Any) -> bytes:
    # Bytes go to the browser as they are; of other data Streamlit makes JSON several times.
    more["source"] = scripts.place_of(scripts.PLOTLY)
    more["words"] = {
        "image": say("frame.chart_image"),
        "full": say("frame.chart_full"),
        "failed": say("frame.chart_failed"),
        "keys": say("frame.chart_keys"),
    }
    return orjson.dumps({"figure": orjson.Fragment(figure.written()), "more": more})

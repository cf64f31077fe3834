"""Clicks on heat maps and images, which Streamlit's own `on_select` does not report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.ui.component import component

_bridge = component(__file__, "bridge")


@dataclass(frozen=True)
class Click:
    """One click on a point of a chart, in the coordinates of its axes."""

    chart: str  # the chart's key
    x: float  # on token axes: the position, an int
    y: float
    curve: int  # index of the trace in the figure
    custom: Any  # the point's customdata, None without

    @staticmethod
    def of(value: dict[str, Any]) -> "Click":
        """The click in what the browser sent."""
        x, y = (int(at) if at.is_integer() else at for at in map(float, (value["x"], value["y"])))
        return Click(value["chart"], x, y, int(value["curve"]), value.get("custom"))


def plotly_clicks(
    chart_keys: Sequence[str], on_click: Callable[[Click], None], key: str = "charts"
) -> None:
    """Call `on_click(click)` before the rerun when a point of one of the keyed charts is clicked.

    Place it once a page, or once a fragment (then only the fragment runs again), after the charts;
    it takes no room. `key` tells several bridges of a page apart. A chart that is drawn again,
    also under new data, is found again.
    """
    data = {"charts": list(chart_keys)}
    _bridge(f"bridge_{key}", data, click=lambda sent: on_click(Click.of(sent)))

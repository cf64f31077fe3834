"""Put a figure on the page the same way everywhere."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from app.figures.theme import Look
from app.state import get_state


def current_look() -> Look:
    """Theme, type size and precision of this reader, for the figure builders."""
    now = get_state()
    theme = now.theme or st.context.theme.type  # of the link before that of the browser
    return Look(dark=theme == "dark", size=now.size, precision=now.precision)


def show_chart(
    figure: go.Figure, key: str, alt: str, file_name: str | None = None, fill: bool = False
) -> None:
    """Draw a figure over the full width of its place, and with `fill` over its full height.

    key: unique on the page, what the bridge and the tests name it by. alt: what a screen reader
    says. file_name: of the image that the chart's camera button saves; the key without it.
    """
    st.plotly_chart(
        figure,
        height="stretch" if fill else "content",
        theme=None,
        key=key,
        alt=alt,
        config={
            "displaylogo": False,
            "scrollZoom": False,
            "doubleClick": False,
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "resetScale2d"],
            "toImageButtonOptions": {"format": "svg", "filename": file_name or key},
        },
    )

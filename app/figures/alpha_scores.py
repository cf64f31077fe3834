"""The scores of finished hypotheses against the strength of the length penalty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def alpha_scores(
    alphas: np.ndarray,
    scores: np.ndarray,
    names: Sequence[str],
    now: float,
    focus: int | None,
    look: Look,
    title: str,
    height: int = 200,
) -> go.Figure:
    """One line a hypothesis, scores (N, A) over α (A,); the best at each α on top.

    names: for hover. now: the α of the search, an upright line. focus: the place of the line that
    stands out; the others are grey, told apart by their strokes. title: of the
    lower axis; what is read upwards is said above the figure.
    """
    layout = base_layout(look, height=height, hovermode="closest")
    x_title = layout["xaxis"]["title"] | {"text": escape(title), "standoff": 0}
    span = [float(alphas[0]), float(alphas[-1])]
    small = {"size": look.px(12)}
    layout["xaxis"] = layout["xaxis"] | {"title": x_title, "range": span, "tickfont": small}
    layout["yaxis"] = layout["yaxis"] | {
        "nticks": 5, "showgrid": True, "tickfont": small,
    }  # fmt: skip
    layout["shapes"] = [
        {"type": "line", "yref": "paper", "x0": now, "x1": now, "y0": 0, "y1": 1,
         "line": {"color": look.colour("key"), "width": 2, "dash": "dot"}}
    ]  # fmt: skip
    order = sorted(range(len(names)), key=lambda at: at == focus)  # the one in focus on top
    lines = [_line(alphas, scores[at], names[at], at, at == focus, look) for at in order]
    return go.Figure(lines, layout)


def _line(
    alphas: np.ndarray, scores: np.ndarray, name: str, place: int, focus: bool, look: Look
) -> go.Scatter:
    colour = look.colour("data") if focus else look.colour("faint")
    said = [f"α = {alpha:g}: {format_number(score, 6)}" for alpha, score in zip(
        alphas.tolist(), scores.tolist(), strict=True)]  # fmt: skip
    return go.Scatter(
        x=np.asarray(alphas, dtype=np.float32),
        y=np.asarray(scores, dtype=np.float32),
        mode="lines",
        line={"color": colour, "width": 3 if focus else 1.4,
              "dash": "solid" if focus else DASHES[place % len(DASHES)]},
        customdata=said,
        name=escape(name),
        hovertemplate="%{fullData.name}<br>%{customdata}<extra></extra>",
    )  # fmt: skip

"""A cut through one step's distribution: what temperature did, what stays, where the lot fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.figures import drawing as go
from app.figures.colours import faded, mix
from app.figures.labels import escape, format_number, format_percent
from app.figures.theme import Look, base_layout
from core.decoding.cut_rows import CutRow

LEFT, RIGHT = (0.0, 0.5), (0.6, 1.0)  # parts of the width: the bars, the running sum
ROOM = 1.45  # of the left axis, whose bars end at 1: the percentages stand to the right


def next_cut(
    rows: Sequence[CutRow],
    names: Sequence[str],
    lot: float | None,
    look: Look,
    texts: Mapping[str, str],
    limit: float | None = None,
    height: int = 420,
) -> go.Figure:
    """Left two bars a word, the model's own probability and after temperature; right the sum.

    names: of the rows, as they stand beside them. lot: where it fell on the running sum; None draws
    none. limit: the p of top-p, a line on the sum. texts: "own", "tempered", "sum", "lot",
    "limit", "stay", "away". Rows cut away are hatched and stand below a line.
    """
    layout = base_layout(look, height=height, barmode="overlay", bargap=0)
    layout["margin"] = {"l": 8, "r": 14, "t": look.px(58), "b": 4, "pad": 2}
    layout["xaxis"] = layout["xaxis"] | {"range": [0, ROOM], "domain": LEFT, "visible": False}
    layout["xaxis2"] = layout["xaxis"] | {
        "range": [0, 1], "domain": RIGHT, "visible": True, "side": "top", "tickvals": [0, 0.5, 1],
        "tickformat": "~%", "tickfont": {"size": look.px(11), "color": look.colour("faint")},
    }  # fmt: skip
    layout["yaxis"] = layout["yaxis"] | _labels(rows, names, look)
    layout["shapes"] = [*_cut_line(rows, look), *_upright(limit, len(rows), look)]
    layout["annotations"] = _notes(rows, lot, limit, look, texts)
    bars = [_own(rows, look), _tempered(rows, names, look, texts), _stretches(rows, look)]
    return go.Figure([*bars, *_lot(rows, lot, look)], layout)


def _own(rows: Sequence[CutRow], look: Look) -> go.Bar:
    return go.Bar(
        x=[row.probability or 0.0 for row in rows],
        y=[at - 0.3 for at in range(len(rows))],
        width=0.2,
        orientation="h",
        marker={"color": look.colour("faint")},
        hoverinfo="skip",
        name="own",
    )


def _tempered(
    rows: Sequence[CutRow], names: Sequence[str], look: Look, texts: Mapping[str, str]
) -> go.Bar:
    return go.Bar(
        x=[row.tempered for row in rows],
        y=[at + 0.06 for at in range(len(rows))],
        width=0.46,
        orientation="h",
        marker=_paint(rows, look),
        text=[format_percent(row.tempered) for row in rows],
        textposition="outside",
        textangle=0,
        textfont={"size": look.px(12), "color": look.colour("text")},
        cliponaxis=False,
        customdata=[_hover(row, name, texts) for row, name in zip(rows, names, strict=True)],
        hovertemplate="%{customdata}<extra></extra>",
        name="tempered",
    )


def _stretches(rows: Sequence[CutRow], look: Look) -> go.Bar:
    return go.Bar(
        base=[row.start for row in rows],
        x=[row.end - row.start for row in rows],
        y=list(range(len(rows))),
        width=0.8,
        xaxis="x2",
        orientation="h",
        marker=_paint(rows, look),
        customdata=[[row.start, row.end] for row in rows],
        hovertemplate="%{customdata[0]:.4f} – %{customdata[1]:.4f}<extra></extra>",
        name="sum",
    )


def _paint(rows: Sequence[CutRow], look: Look) -> dict[str, Any]:
    strong, panel = look.colour("data"), look.colour("panel")
    weak = mix(panel, strong, 0.5)
    return {
        "color": [strong if row.chosen else weak if row.kept else panel for row in rows],
        "line": {"color": [strong if row.kept else look.colour("faint") for row in rows],
                 "width": 1},
        "pattern": {"shape": ["" if row.kept else "/" for row in rows],
                    "fgcolor": faded(look.colour("faint"), 0.9), "size": 6, "solidity": 0.25},
    }  # fmt: skip


def _lot(rows: Sequence[CutRow], lot: float | None, look: Look) -> list[go.Scatter]:
    if lot is None:
        return []
    at = next((n for n, row in enumerate(rows) if row.start <= lot < row.end), len(rows) - 1)
    colour = look.colour("key")
    return [
        go.Scatter(
            x=[lot, lot],
            y=[-0.75, at],
            xaxis="x2",
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"symbol": ["triangle-down", "diamond"], "size": look.px(11), "color": colour},
            cliponaxis=False,
            hovertemplate=f"{lot:.4f}<extra></extra>",
            name="lot",
        )
    ]


def _labels(rows: Sequence[CutRow], names: Sequence[str], look: Look) -> dict[str, Any]:
    def label(row: CutRow, name: str) -> str:
        text = escape(name)
        if row.id is None:
            return f'<span style="color:{look.colour("faint")}">{text}</span>'
        return f"<b>{text}</b>" if row.chosen else text

    return {
        "tickmode": "array",
        "tickvals": list(range(len(rows))),
        "ticktext": [label(row, name) for row, name in zip(rows, names, strict=True)],
        "tickfont": {"size": look.px(13)},
        "range": [len(rows) - 0.4, -0.75],
        "type": "linear",
        "ticks": "",
    }


def _edge(rows: Sequence[CutRow]) -> float | None:
    """The height of the line between what stays and what does not; None where all stay."""
    stay = sum(row.kept for row in rows)
    return stay - 0.5 if stay < len(rows) else None


def _cut_line(rows: Sequence[CutRow], look: Look) -> list[dict[str, Any]]:
    edge = _edge(rows)
    if edge is None:
        return []
    line = {"color": look.colour("changed"), "width": 2, "dash": "dash"}
    return [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": edge, "y1": edge,
             "line": line}]  # fmt: skip


def _upright(limit: float | None, count: int, look: Look) -> list[dict[str, Any]]:
    if limit is None:
        return []
    line = {"color": look.colour("changed"), "width": 2, "dash": "dot"}
    return [{"type": "line", "xref": "x2", "x0": limit, "x1": limit, "y0": -0.6,
             "y1": count - 0.5, "line": line}]  # fmt: skip


def _notes(
    rows: Sequence[CutRow], lot: float | None, limit: float | None, look: Look,
    texts: Mapping[str, str],
) -> list[dict[str, Any]]:  # fmt: skip
    plain = {"showarrow": False, "yref": "paper", "yanchor": "bottom", "align": "left",
             "font": {"size": look.px(12), "color": look.colour("faint")}}  # fmt: skip
    strong = look.colour("data")
    legend = (
        f'<span style="color:{look.colour("faint")}">■</span> {escape(texts["own"])}<br>'
        f'<span style="color:{strong}">■</span> {escape(texts["tempered"])}'
    )
    said = [escape(texts["sum"])]
    if lot is not None:
        said.append(f'<span style="color:{look.colour("key")}">▼◆ {escape(texts["lot"])}</span>')
    if limit is not None:
        said[-1] += (
            f' <span style="color:{look.colour("changed")}">┊ {escape(texts["limit"])}</span>'
        )
    above: list[dict[str, Any]] = [
        plain | {"text": legend, "x": 0, "xref": "paper", "xanchor": "left", "y": 1.0,
                 "yshift": look.px(16)},
        plain | {"text": "<br>".join(said), "x": RIGHT[1], "xref": "paper", "xanchor": "right",
                 "align": "right", "y": 1.0, "yshift": look.px(16)},
    ]  # fmt: skip
    edge = _edge(rows)
    if edge is None:
        return above
    font = {"size": look.px(12), "color": look.colour("changed")}
    side = {"showarrow": False, "xref": "paper", "x": LEFT[1] + 0.05, "xanchor": "center",
            "font": font, "y": edge}  # fmt: skip
    return [
        *above,
        side | {"text": escape(texts["stay"]), "yanchor": "bottom"},
        side | {"text": escape(texts["away"]), "yanchor": "top"},
    ]


def _hover(row: CutRow, name: str, texts: Mapping[str, str]) -> str:
    lines = [f"<b>{escape(name)}</b>"]
    if row.probability is not None:
        lines.append(f"{escape(texts['own'])}: {format_number(row.probability, 6)}")
    lines.append(f"{escape(texts['tempered'])}: {format_number(row.tempered, 6)}")
    return "<br>".join(lines)

"""A cut through one step's distribution."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.bars import row_bars
from glassformer.app.plots.colours import fade_colour, mix_colours
from glassformer.app.plots.labels import escape, format_number, format_percent
from glassformer.app.plots.marks import annotate_at, colour_label, hover_texts, level_line
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.decoding.cuts import CutRow

LEFT, RIGHT = (0.0, 0.5), (0.6, 1.0)  # of a cut's width: the bars, the running sum
CUT_ROOM = 1.45  # of the left axis, whose bars end at 1: the percentages stand to the right


def next_cut(
    rows: Sequence[CutRow], names: Sequence[str], lot: float, look: FigureStyle,
    texts: Mapping[str, str], limit: float | None = None, height: int = 420,
) -> go.Figure:  # fmt: skip
    """Left two bars a word, the model's own probability and after temperature; right the sum.

    names: of the rows, as they stand beside them. lot: where it fell on the running sum. limit: the
    p of top-p, a line on the sum. texts: "own", "tempered", "sum", "lot", "limit", "stay", "away".
    Rows cut away are hatched and stand below a line.
    """
    layout = base_layout(look, height=height, barmode="overlay", bargap=0)
    layout["margin"] = {"l": 8, "r": 14, "t": look.px(58), "b": 4, "pad": 2}
    layout["xaxis"] |= {"range": [0, CUT_ROOM], "domain": LEFT, "visible": False}
    layout["xaxis2"] = layout["xaxis"] | {
        "range": [0, 1], "domain": RIGHT, "visible": True, "side": "top", "tickvals": [0, 0.5, 1],
        "tickformat": "~%", "tickfont": look.font(11, "faint"),
    }  # fmt: skip
    grey = look.colour("faint")
    labels = [
        colour_label(name, grey) if row.id is None else f"<b>{name}</b>" if row.chosen else name
        for row, name in zip(rows, map(escape, names), strict=True)
    ]
    layout["yaxis"] |= rows_axis(labels, look, range=[len(rows) - 0.4, -0.75])
    stay = sum(row.kept for row in rows)
    edge = stay - 0.5 if stay < len(rows) else None  # between what stays and what does not
    layout["shapes"] = [] if edge is None else [level_line(edge, look)]
    if limit is not None:
        line = {"color": look.colour("changed"), "width": 2, "dash": "dot"}
        ends = {"x0": limit, "x1": limit, "y0": -0.6, "y1": len(rows) - 0.5}
        layout["shapes"].append({"type": "line", "xref": "x2", "line": line} | ends)
    layout["annotations"] = _legends(limit, look, texts) + _sides(edge, look, texts)
    said = [_hover(row, name, texts) for row, name in zip(rows, names, strict=True)]
    bars = [_own(rows, look), _tempered(rows, said, look), _stretches(rows, look)]
    return go.Figure([*bars, _lot(rows, lot, look)], layout)


def _own(rows: Sequence[CutRow], look: FigureStyle) -> go.Bar:
    return go.Bar(
        x=[row.probability or 0.0 for row in rows],
        y=[at - 0.3 for at in range(len(rows))],
        width=0.2,
        orientation="h",
        marker={"color": look.colour("faint")},
        hoverinfo="skip",
        name="own",
    )


def _tempered(rows: Sequence[CutRow], said: Sequence[str], look: FigureStyle) -> go.Bar:
    shares = [row.tempered for row in rows]
    return row_bars(
        shares,
        [format_percent(share) for share in shares],
        (),
        look,
        13,
        constraintext="none",
        y=[at + 0.06 for at in range(len(rows))],
        width=0.46,
        marker=_paint(rows, look),
        **hover_texts(said, "customdata"),
        name="tempered",
    )


def _stretches(rows: Sequence[CutRow], look: FigureStyle) -> go.Bar:
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


def _paint(rows: Sequence[CutRow], look: FigureStyle) -> dict[str, Any]:
    strong, panel = look.colour("data"), look.colour("panel")
    weak = mix_colours(panel, strong, 0.5)
    return {
        "color": [strong if row.chosen else weak if row.kept else panel for row in rows],
        "line": {"color": [strong if row.kept else look.colour("faint") for row in rows],
                 "width": 1},
        "pattern": {"shape": ["" if row.kept else "/" for row in rows],
                    "fgcolor": fade_colour(look.colour("faint"), 0.9), "size": 6, "solidity": 0.25},
    }  # fmt: skip


def _lot(rows: Sequence[CutRow], lot: float, look: FigureStyle) -> go.Scatter:
    at = next((n for n, row in enumerate(rows) if row.start <= lot < row.end), len(rows) - 1)
    colour = look.colour("key")
    signs = {"symbol": ["triangle-down", "diamond"], "size": look.px(11), "color": colour}
    return go.Scatter(
        x=[lot, lot],
        y=[-0.75, at],
        xaxis="x2",
        mode="lines+markers",
        line={"color": colour, "width": 2},
        marker=signs,
        cliponaxis=False,
        hovertemplate=f"{lot:.4f}<extra></extra>",
        name="lot",
    )


def _legends(
    limit: float | None, look: FigureStyle, texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What stands above the bars and above the running sum."""
    own, tempered = colour_label("■", look.colour("faint")), colour_label("■", look.colour("data"))
    legend = f"{own} {escape(texts['own'])}<br>{tempered} {escape(texts['tempered'])}"
    said = [escape(texts["sum"]), colour_label(f"▼◆ {escape(texts['lot'])}", look.colour("key"))]
    if limit is not None:
        said[-1] += " " + colour_label(f"┊ {escape(texts['limit'])}", look.colour("changed"))
    sides = ((legend, 0, "left"), ("<br>".join(said), RIGHT[1], "right"))
    return [
        annotate_at(
            text, look, x, 1.0, 12, "faint", f"{side} bottom", yshift=look.px(16), align=side
        )
        for text, x, side in sides
    ]


def _sides(edge: float | None, look: FigureStyle, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is kept, above the line, and what is not, below it."""
    if edge is None:
        return []
    return [
        annotate_at(escape(texts[name]), look, LEFT[1] + 0.05, edge, 12, "changed", at, yref="y")
        for name, at in (("stay", "center bottom"), ("away", "center top"))
    ]


def _hover(row: CutRow, name: str, texts: Mapping[str, str]) -> str:
    lines = [f"<b>{escape(name)}</b>"]
    if row.probability is not None:
        lines.append(f"{escape(texts['own'])}: {format_number(row.probability, 6)}")
    lines.append(f"{escape(texts['tempered'])}: {format_number(row.tempered, 6)}")
    return "<br>".join(lines)

"""What an untrained model is made of and how far its values reach: tables, a tree, a histogram."""

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from glassformer.app.pages.lab.figures.tables import exact_digits, rows_table
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.marks import annotate_at, axis_title, hover_texts, upright_line
from glassformer.app.plots.theme import FigureStyle, base_layout, hatch_pattern
from glassformer.app.words import say
from glassformer.core.config import ModelConfig
from glassformer.core.lab.untrained import ClosedForm, closed_forms, letters_of_sizes
from glassformer.core.lab.untrained_views import BINS, Anatomy, Drawn, ModuleNode, Reach

Texts = Mapping[str, str]
STACKS = ("encoder", "decoder")
ROLES = {
    "self_attention": "weights", "cross_attention": "weights", "feed_forward": "feed_forward",
    "final_norm": "norm",
}  # fmt: skip


def reach_tables(found: Anatomy, texts: Texts, look: FigureStyle) -> str:
    """Least and largest value at every place, a bar each on one scale, as HTML.

    texts: "encoder", "decoder", "least", "most", "hover", "branch".
    """
    finite = [abs(end) for each in found.reaches for end in each.ends if math.isfinite(end)]
    top = max(finite, default=0.0) or 1.0
    tables = []
    for stack in STACKS:
        rows = [_reach(each, top, texts, look) for each in found.reaches if each.stack == stack]
        heads = ("", texts["least"], texts["most"])
        table = rows_table("lab-reach", heads, rows)
        tables.append(f"<figure><figcaption>{escape(texts[stack])}</figcaption>{table}</figure>")
    return f'<div class="lab-reaches">{"".join(tables)}</div>'


def _reach(each: Reach, top: float, texts: Texts, look: FigureStyle) -> tuple[str, str]:
    name = escape(place_name(each))
    said = {
        "low": exact_digits(each.ends[0]),
        "high": exact_digits(each.ends[1]),
        "std": look.number(each.std),
    }
    title = texts["hover"].format(shape=format_shape(each.shape), **said)
    bars = _bar("i", each.ends, top, look.colour(ROLES.get(each.name, "data")))
    if each.branch is not None:
        low, high = map(look.number, each.branch)
        title = f"{title} {texts['branch'].format(low=low, high=high)}"
        bars += _bar("b", each.branch, top, look.colour("text"))
    numbers = "".join(f"<td>{look.number(end)}</td>" for end in each.ends)
    return f"<th>{name}</th>", f'<td class="bar" title="{escape(title)}">{bars}</td>{numbers}'


def place_name(each: Reach) -> str:
    """A place in words; layers count from 1."""
    name = say(f"lab_model.reach_{each.name}")
    return name if each.layer is None else f"{each.layer + 1} · {name}"


def _bar(tag: str, ends: tuple[float, float], top: float, colour: str) -> str:
    if not all(map(math.isfinite, ends)):
        return ""
    left, right = (50 + 50 * end / top for end in ends)
    style = f"left:{left:.2f}%;width:{right - left:.2f}%;background:{colour}"
    return f'<{tag} style="{style}"></{tag}>'


def format_shape(sizes: Sequence[int]) -> str:
    """A shape as Python writes it."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def module_tree(tree: ModuleNode, texts: Texts) -> str:
    """The modules as nested lists that fold, as HTML; open where there is most to see.

    texts: "model", "shared" with {path}.
    """
    return f'<div class="lab-tree">{_node(tree, texts, 0, texts["model"])}</div>'


def _node(node: ModuleNode, texts: Texts, depth: int, name: str = "") -> str:
    owns = " · ".join(f"{part} {format_shape(sizes)}" for part, sizes in node.weights)
    gives = f"→ {format_shape(node.output)}" if node.output else ""
    shared = escape(texts["shared"].format(path=node.shares)) if node.shares else ""
    line = (
        f"<b>{escape(name or node.name)}</b> <span>{node.kind}</span>"
        f"<code>{owns}</code><span>{gives}</span><mark>{shared}</mark><em>{node.count:,}</em>"
    )
    if not node.inside:
        return f"<p>{line}</p>"
    inside = "".join(_node(each, texts, depth + 1) for each in node.inside)
    first = not depth or node.name in ("encoder", "layers", "0", "self_attention")
    return f"<details{' open' * first}><summary>{line}</summary>{inside}</details>"


def counts_table(config: ModelConfig, counted: Mapping[str, int], texts: Texts) -> str:
    """A row for every part: its closed form, in letters and in numbers, beside what was counted.

    texts: "formula", "numbers", "closed", "counted", "sum", "shares".
    """
    found, sizes = closed_forms(config), letters_of_sizes(config)
    rows = []
    for part in found:
        closed, there = part.count(config), counted.get(part.key, 0)
        forms = (
            (format_closed_form(part, {}), format_closed_form(part, sizes))
            if closed
            else (texts["shares"], "")
        )
        rows.append(
            (f"<th>{escape(texts[f'part_{part.key}'])}</th>", _counts(forms, closed, there))
        )
    totals = sum(part.count(config) for part in found), sum(counted.values())
    rows.append((f"<th><b>{escape(texts['sum'])}</b></th>", _counts(("", ""), *totals)))
    heads = [texts[name] for name in ("formula", "numbers", "closed", "counted")]
    return rows_table("lab-counts", heads, rows)


def _counts(forms: tuple[str, str], closed: int, there: int) -> str:
    same = "=" if closed == there else "≠"
    cells = "".join(f"<td>{escape(form)}</td>" for form in forms)
    return f"{cells}<td>{closed:,}</td><td>{same} {there:,}</td>"


def format_closed_form(part: ClosedForm, sizes: Mapping[str, int]) -> str:
    """A closed form in letters, or with their sizes: "N · (4 D² + 4 D)"."""
    inside = _terms(part.terms, sizes)
    if part.times:
        inside = f"{sizes.get(part.times, part.times)} · ({inside})"
    return " + ".join(filter(None, (inside, _terms(part.once, sizes))))


def _terms(terms: Sequence[tuple[int, str]], sizes: Mapping[str, int]) -> str:
    found = []
    for many, of in terms:
        factors = [str(sizes.get(letter, letter)) for letter in dict.fromkeys(of)]
        if of[0] == of[-1] and len(of) == 2:
            factors[-1] += "²"
        found.append(" · ".join([str(many)] * (many > 1) + factors))
    return " + ".join(found)


def drawn_figure(found: Drawn, texts: Texts, look: FigureStyle) -> go.Figure:
    """How the numbers of a matrix lie, Xavier's bound drawn; what lies beyond it is hatched.

    texts: "value", "count", "bound", "own_bound", "bin" with {low}, {high} and {count}.
    """
    edges = np.linspace(-found.reach, found.reach, BINS + 1)
    middles, counts = (edges[1:] + edges[:-1]) / 2, np.array(found.counts)
    inside = np.abs(middles) <= found.xavier + (edges[1] - edges[0]) / 2
    said = [
        texts["bin"].format(low=look.number(low), high=look.number(high), count=f"{count:,}")
        for low, high, count in zip(edges[:-1], edges[1:], found.counts, strict=True)
    ]
    marker = {"color": [look.colour("weights" if each else "changed") for each in inside]}
    pattern = hatch_pattern(look) | {"bgcolor": None, "shape": ["" if i else "/" for i in inside]}
    bars = go.Bar(
        x=middles.astype(np.float32), y=counts.astype(np.float32), width=edges[1] - edges[0],
        marker=marker | {"pattern": pattern | {"fgcolor": look.colour("page")}},
        **hover_texts(said),
    )  # fmt: skip
    bounds = (("bound", found.xavier, "solid", "right bottom", 2),
              ("own_bound", found.torch, "dot", "center bottom", 20))  # fmt: skip
    across = {"title": axis_title(texts["value"], look, 4), "range": [edges[0], edges[-1]]}
    layout = base_layout(
        look, margin={"l": look.px(56), "r": look.px(14), "t": look.px(48), "b": look.px(44)},
        bargap=0, hovermode="closest",
        xaxis=grid_axis(look, **across),
        yaxis=grid_axis(look, title=axis_title(texts["count"], look, 4), rangemode="tozero"),
        shapes=[
            upright_line(sign * at, look, "text", dash=dash)
            for _, at, dash, *_ in bounds for sign in (-1, 1)
        ],
        annotations=[
            annotate_at(f"{texts[name]} ±{look.number(at)}", look, at, 1, 12, at=side, xref="x",
                 yshift=look.px(up))
            for name, at, _, side, up in bounds
        ],
    )  # fmt: skip
    return go.Figure([bars], layout)


def reach_of(found: Anatomy, stack: str, last: bool) -> str:
    """The largest magnitude where a stack begins, or at its end: "±94.5"."""
    places = [each for each in found.reaches if each.stack == stack and each.name != "logits"]
    here = places[-1] if last else next(each for each in places if each.name == "input")
    return f"±{format_number(max(map(abs, here.ends)))}"

"""What is sent of each panel of a step: its words and its numbers."""

from collections.abc import Sequence
from typing import Any

from glassformer.app.pages.walkthrough.figures.layout import ONE_SCALE, is_positive, wire_symbol
from glassformer.app.pages.walkthrough.figures.sheets import (
    EXACT_CELLS,
    Sheet,
    held_at,
    limit_of,
    sheet,
    sheet_data,
)
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.session import store
from glassformer.app.words import say
from glassformer.core.analysis.choices import top_words
from glassformer.core.analysis.measure import informative_mask
from glassformer.core.explain.steps.places import in_heads
from glassformer.core.explain.steps.wires import Wire, tensor, wire_axes
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import Axis, site_at
from glassformer.core.trace.tables import as_numpy

HALF = 2.0  # end of the scale of a mask: its ones need not shine
FORM_NOTES = ("joined", "dropped", "added", "chosen")


def step_maps(focus: StepFocus, wires: Sequence[Wire]) -> dict[Wire, dict[str, Any]]:
    """The heat maps of a step, where it is asked for all on one colour scale."""
    sheets = {wire: sheet_of(focus, wire) for wire in wires}
    coloured = [each for wire, each in sheets.items() if not is_count(wire)]
    exact = sum(each.values.size for each in sheets.values()) <= EXACT_CELLS
    together = limit_of(coloured) if focus.step.kind in ONE_SCALE and coloured else None
    found = {}
    for wire, each in sheets.items():
        own = HALF if is_count(wire) else limit_of([each])
        limit = own if together is None or is_count(wire) else together
        found[wire] = panel_caption(focus, wire, each) | sheet_data(
            each, limit, is_positive(wire), exact
        )
    return found


def is_count(wire: Wire) -> bool:
    """Whether its numbers are whole: ids, or 0 and 1 for what is kept."""
    return not wire.form and Address.of(wire.address).name in ("mask", "kept", "ids")


def sheet_of(focus: StepFocus, wire: Wire) -> Sheet:
    """The numbers of a wire at the chosen head."""
    along, at = wire_axes(focus.trace, wire), focus.at(wire)
    held = held_at(along, at)  # cut before it is copied to the host
    allowed = None if wire.form else informative_mask(focus.trace, wire.address)
    return sheet(
        as_numpy(tensor(focus.trace, wire)[held]),
        along,
        at,
        None if allowed is None else as_numpy(allowed[held]),
    )


def panel_caption(focus: StepFocus, wire: Wire, found: Sheet) -> dict[str, Any]:
    """The words around a panel."""
    whole = is_count(wire)
    shown = format_number(int(found.value) if whole else found.value, focus.look.precision)
    panel = _words(focus, wire, say(site_at(wire.address).text_key))
    names = {"symbol": panel["symbol"], "shape": panel["shape"], "address": wire.address}
    return panel | {
        "kind": "narrow" if found.columns.name == "one" else "map",
        "whole": whole,
        "perHead": focus.config.d_k if in_heads(wire) else 0,
        "value": shown,
        "alt": say("walkthrough.alt", **names, value=shown),
    }


def address_of(wire: Wire) -> str:
    """The address, and what was done to the recorded tensor where it is not shown as such."""
    note = f" · {say(f'walkthrough.{wire.form}')}" if wire.form in FORM_NOTES else ""
    return f"{wire.address}{note}"


def shape_words(focus: StepFocus, wire: Wire) -> str:
    """Every axis with its letter, its size and its name: "S = 12 words × D = 80 features"."""
    along, head = axes_told(focus, wire), focus.at(wire).get("head", 0) + 1
    held = say("walkthrough.held_head", letter="H", size=focus.config.n_heads, head=head)
    return " × ".join(held if axis.name == "head" else axis_words(axis) for axis in along)


def axes_told(focus: StepFocus, wire: Wire) -> tuple[Axis, ...]:
    """The axes of a wire; in front of a hall, where there is little room, without the batch."""
    short = store.memory().presented
    return tuple(axis for axis in wire_axes(focus.trace, wire) if not short or axis.name != "batch")


def axis_words(axis: Axis) -> str:
    """One axis with its letter, its size and its name: "S = 12 words"."""
    return say(f"walkthrough.axis_{axis.name}", letter=axis.letter, size=axis.size)


def embedding_table(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    """The embedding table as a stack of rows, those of this sentence marked."""
    config, colour = focus.trace.config, focus.look.colour("data")
    ids = [int(index) for index in as_numpy(focus.trace[wire.address][0])]
    rows, columns = config.vocabulary_size, config.d_model
    chosen = focus.at(wire)["position"]
    name = say("walkthrough.table_name", rows=rows, columns=columns)
    module = Address.of(wire.address).module
    return {
        "kind": "table", "key": "table", "symbol": "E", "words": name, "colour": colour,
        "address": f"{module}.table.weight", "shape": f"V = {rows} × D = {columns}",
        "ids": ids, "rowCount": rows, "at": [chosen, 0], "alt": name, "framed": False,
        "rowText": say("walkthrough.table_row", row=ids[chosen]),
    }  # fmt: skip


def top_word_bars(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    """The top words of the chosen row of the decoder, with their score or probability."""
    trace, look = focus.trace, focus.look
    row = focus.at(wire)["position"]
    words = top_words(trace, row, count=10)
    scores = Address.of(wire.address).name == "logits"
    numbers = [word.logit if scores else word.probability for word in words]
    name = "logits" if scores else "probabilities"
    values: dict[str, Any] = {"count": len(words), "word": visible(trace.target_tokens[row])}
    title = say(f"walkthrough.top_{name}", **values)
    if not trace.config.decoder_layers:  # an encoder alone says what stands there
        title = say(f"walkthrough.top_{name}_blank", **values)
    digits = look.precision
    return _words(focus, wire, title) | {
        "labels": [visible(word.token) for word in words],
        "numbers": numbers,
        "texts": [format_number(each, digits) if scores else format_percent(each, digits)
                  for each in numbers],
        "end": max(*map(abs, numbers), 1e-9) if scores else 1.0,
        "at": [next(at for at, word in enumerate(words) if word.chosen), 0],
        "picks": False,
    }  # fmt: skip


def chosen_words(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    """The word that each row of the decoder chose, and how probable it was."""
    trace = focus.trace
    ids = tensor(trace, wire)[0]  # (T,)
    rows = trace["output/probabilities"][0]  # (T, V), where the model is
    chances = rows.gather(1, ids.to(rows.device)[:, None])[:, 0]  # (T,)
    numbers = [float(chance) for chance in as_numpy(chances)]
    return _words(focus, wire, say("walkthrough.chosen_words")) | {
        "labels": row_labels(focus),
        "numbers": numbers,
        "texts": [format_percent(each, focus.look.precision) for each in numbers],
        "end": 1.0,
        "at": [focus.at(wire)["position"], 0],
        "picks": True,
    }


def decoder_rows(focus: StepFocus, wire: Wire) -> dict[str, Any]:
    """The rows of the decoder alone, to choose one."""
    found, count = chosen_words(focus, wire), len(focus.trace.target_tokens)
    name = say("walkthrough.rows_name")
    empty = {"numbers": [0.0] * count, "texts": [""] * count, "symbol": "t", "words": name}
    shape = axis_words(Axis("position", "T", count))
    return found | empty | {"address": "", "shape": shape, "framed": False}


def row_labels(focus: StepFocus) -> list[str]:
    """What each row of the decoder has read and writes."""
    pairs = zip(focus.trace.target_tokens, focus.trace.output_tokens, strict=True)
    return [say("walkthrough.reads", read=visible(read), written=visible(written))
            for read, written in pairs]  # fmt: skip


def _words(focus: StepFocus, wire: Wire, title: str) -> dict[str, Any]:
    """What stands around any panel; its kind is that of bars until another is said."""
    site = site_at(wire.address)
    shape = shape_words(focus, wire)
    return {
        "kind": "bars", "key": wire.key, "symbol": wire_symbol(wire), "words": title,
        "address": address_of(wire), "shape": shape, "colour": focus.look.colour(site.role),
        "framed": wire == focus.output, "alt": f"{title}. {shape}",
    }  # fmt: skip

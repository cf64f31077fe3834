"""Which tensors of a block are drawn, as heat maps over the same words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.figures.labels import format_percent, visible
from app.figures.picture import Picture, reach
from core.reading.attention_views import sides
from core.reading.blocks import Block
from core.reading.sheets import Plan, Sheet, cut, index_of, plan, pool
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Say = Callable[..., str]
WIDEST, CELLS = 256, 10_240  # columns and cells of one picture: the screen has no pixels for more
BEST = 5
LONGEST_WORD = 8
_INSIDE = {
    "add_norm": "added", "add": "added", "feed_forward": "activation",
    "norm": "normalized", "final_norm": "normalized",
    "embedding": "embedding", "positions": "positions",
}  # fmt: skip


def words_of(trace: Trace, block: Block) -> tuple[str, ...]:
    """The words that the rows stand for."""
    return trace.source_tokens if block.stack == "encoder" else trace.target_tokens


def labels_of(trace: Trace, block: Block) -> tuple[str, ...]:
    """What stands beside the rows: the words; in a decoder's attention "read▸written"."""
    if not block.is_attention or block.stack == "encoder":
        return words_of(trace, block)
    rows = sides(trace, "cross" if block.kind == "cross_attention" else "decoder")[0]
    short = [tuple(map(_cut, words)) for words in (rows.tokens, rows.writes)]
    return replace(rows, tokens=short[0], writes=short[1]).labels


def pictures(trace: Trace, block: Block, say: Say) -> list[Picture]:
    """What goes in, what happens inside (where something does), what comes out."""
    if block.kind == "softmax":
        return _candidates(trace, say)
    drawn = [_enters(trace, block, say)]
    if block.is_attention:
        drawn.append(_weights(trace, block, say))
    elif block.inside:
        drawn.append(_sheet(trace, block.inside, say(f"map.inside_{_INSIDE[block.kind]}"), say))
    return [*drawn, _sheet(trace, block.after, say("map.comes_out"), say)]


def _enters(trace: Trace, block: Block, say: Say) -> Picture:
    if block.kind == "embedding":
        return _ids(trace, block, say)
    around = block.kind in ("add_norm", "add")
    title = say("map.goes_in_stream") if around else say("map.goes_in")
    return _sheet(trace, block.before, title, say)


def _sheet(trace: Trace, address: str, title: str, say: Say) -> Picture:
    """A recorded (T, C) tensor, pooled where it has more columns than a picture.

    Each has a scale of its own: before and after often differ tenfold in size.
    """
    _, _, sheet = _cuts(trace, address)
    across = trace.site(address).axes[-1]
    if across == "hidden":
        signed = bool((sheet.values < 0).any())
        scale, axis, role = "signed" if signed else "positive", "units", "feed_forward"
    else:
        axis = "vocabulary" if across == "vocabulary" else "features"
        scale, role = "signed", "data"
    return Picture(
        title, sheet.values, say(f"map.axis_{axis}"), scale, role,  # type: ignore[arg-type]
        step=sheet.columns.step, address=address,
    )  # fmt: skip


def _cuts(trace: Trace, address: str) -> tuple[Plan, Sheet, Sheet]:
    """How the tensor lies on the sheet, the whole sheet, and the one that is drawn."""
    down, across = trace.site(address).axes[-2:]
    chosen = plan(trace, address, (down, across))
    whole = cut(trace, address, chosen)
    count = len(whole.rows)
    return chosen, whole, pool(whole, max(min(WIDEST, CELLS // count), count))  # all the words


def place_of(trace: Trace, picture: Picture, row: int, column: int) -> tuple[int, ...]:
    """The index, in its tensor, of the number that a cell of a picture with an address shows."""
    return index_of(trace.axes(picture.address), *_cuts(trace, picture.address), row, column)


def _weights(trace: Trace, block: Block, say: Say) -> Picture:
    """The attention weights, the mean of the layer's heads."""
    values = as_numpy(trace[f"{block.id}/weights"][0]).mean(axis=0)  # (T, S)
    reads_source = block.stack == "encoder" or block.kind == "cross_attention"
    keys = trace.source_tokens if reads_source else trace.target_tokens
    title = say("map.inside_weights", heads=trace.config.n_heads)
    words, limit = say("map.axis_words"), reach(values)
    allowed = as_numpy(trace[f"{block.id}/mask"][0].any(dim=0))  # (T, S) in any head
    return Picture(
        title, values, words, "positive", "weights", limit, keys, allowed=allowed, share=1.3
    )


def _ids(trace: Trace, block: Block, say: Say) -> Picture:
    ids = as_numpy(trace[block.before][0])
    cells = tuple((str(number),) for number in ids)
    values = np.zeros((len(ids), 1), np.float32)
    axis = say("map.axis_ids")
    return Picture(say("map.goes_in"), values, axis, "plain", limit=1.0, cells=cells, share=0.45)


def _candidates(trace: Trace, say: Say) -> list[Picture]:
    """The scores of each row's likeliest words, and the probabilities that they become."""
    rows = [trace.candidates(row, BEST) for row in range(len(trace.target_tokens))]
    index = {piece: at for at, piece in enumerate(trace.vocabulary)}
    logits = trace["output/logits"][0]  # (T, V), where the model is
    places = logits.new_tensor([[index[best.piece] for best in row] for row in rows]).long()
    scores = as_numpy(logits.gather(1, places))  # (T, k)
    chances = np.array([[best.probability for best in row] for row in rows], np.float32)
    ranks = say("map.axis_ranks")
    names = tuple(tuple(_cut(best.token) for best in row) for row in rows)
    printed = tuple(tuple(format_percent(best.probability) for best in row) for row in rows)
    titles = say("map.best_scores"), say("map.best_chances")
    return [
        Picture(titles[0], scores, ranks, "signed", "data", reach(scores), cells=names),
        Picture(titles[1], chances, ranks, "positive", "weights", 1.0, cells=printed),
    ]


def _cut(word: str) -> str:
    """A word as it fits a cell."""
    shown = visible(word)
    return shown if len(shown) <= LONGEST_WORD else f"{shown[: LONGEST_WORD - 1]}…"

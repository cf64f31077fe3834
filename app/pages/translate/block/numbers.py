"""What is seen of a block: the tensors drawn as heat maps, and the numbers that it is told by."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from glassformer.app.pages.translate.figures import Picture
from glassformer.app.pages.translate.map.scene import name_of, whole_percent
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_sides
from glassformer.core.analysis.blocks import (
    Block,
    Kind,
    blocks_of_model,
    change_by_block,
    count_firing,
    feature_spread,
    head_entropies,
    highest_entropy,
)
from glassformer.core.analysis.choices import least_sure, probabilities
from glassformer.core.analysis.tensor_slice import (
    Plan,
    Sheet,
    cut_sheet,
    index_of,
    plan_sheet,
    pool_sheet,
)
from glassformer.core.analysis.vectors import Numbers
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import sublayers
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

WIDEST, CELLS = 256, 10_240  # columns and cells of one picture: the screen has no pixels for more
Fact = tuple[str, str]  # what it is, its value
ROUNDING = 1e-6
BEST = 5
LONGEST_WORD = 8  # characters that fit a cell
_INSIDE = {
    "add_norm": "added", "add": "added", "feed_forward": "activation",
    "norm": "normalized", "final_norm": "normalized",
    "embedding": "embedding", "positions": "positions", "token_type": "token_type",
    "embedding_norm": "normalized", "head": "head",
}  # fmt: skip


def words_of(trace: Trace, block: Block) -> tuple[str, ...]:
    """The words that the rows stand for."""
    return trace.source_tokens if block.stack == "encoder" else trace.target_tokens


def labels_of(trace: Trace, block: Block) -> tuple[str, ...]:
    """What stands beside the rows: the words; in a decoder's attention "written (read)"."""
    if not block.is_attention or block.stack == "encoder":
        return words_of(trace, block)
    rows = attention_sides(trace, "cross" if block.kind == "cross_attention" else "decoder")[0]
    tokens, writes = (
        tuple(visible(each, LONGEST_WORD) for each in words) for words in (rows.tokens, rows.writes)
    )
    return replace(rows, tokens=tokens, writes=writes).labels


def pictures(trace: Trace, block: Block) -> list[Picture]:
    """What goes in, what happens inside (where something does), what comes out."""
    if block.kind == "softmax":
        return _candidates(trace)
    around = block.kind in ("add_norm", "add")
    title = say("map.goes_in_stream" if around else "map.goes_in")
    embeds = block.kind == "embedding"
    drawn = [_ids(trace, block) if embeds else _sheet(trace, block.before, title)]
    if block.is_attention:
        drawn.append(_weights(trace, block))
    elif block.inside:
        drawn.append(_sheet(trace, block.inside, say(f"map.inside_{_INSIDE[block.kind]}")))
    return [*drawn, _sheet(trace, block.after, say("map.comes_out"))]


def _sheet(trace: Trace, address: str, title: str) -> Picture:
    """A recorded (T, C) tensor, pooled where it has more columns than a picture.

    Each has a scale of its own: before and after often differ tenfold in size.
    """
    _, _, sheet = _cuts(trace, address)
    across = trace.site(address).axes[-1]
    if across == "hidden":
        scale = "signed" if (sheet.values < 0).any() else "positive"
        axis, role = "units", "feed_forward"
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
    chosen = plan_sheet(trace, address, (down, across))
    whole = cut_sheet(trace, address, chosen)
    count = len(whole.rows)
    return (
        chosen,
        whole,
        pool_sheet(whole, max(min(WIDEST, CELLS // count), count)),
    )  # all the words


def place_of(trace: Trace, picture: Picture, row: int, column: int) -> tuple[int, ...]:
    """The index, in its tensor, of the number that a cell of a picture with an address shows."""
    return index_of(trace.axes(picture.address), *_cuts(trace, picture.address), row, column)


def _weights(trace: Trace, block: Block) -> Picture:
    """The attention weights, the mean of the layer's heads."""
    values = as_numpy(trace[f"{block.id}/weights"][0]).mean(axis=0)  # (T, S)
    reads_source = block.stack == "encoder" or block.kind == "cross_attention"
    keys = trace.source_tokens if reads_source else trace.target_tokens
    title = say("map.inside_weights", heads=trace.config.of(block.id).n_heads)
    words, limit = say("map.axis_words"), largest_magnitude(values)
    allowed = as_numpy(trace[f"{block.id}/mask"][0].any(dim=0))  # (T, S) in any head
    return Picture(
        title, values, words, "positive", "weights", limit, keys, allowed=allowed, share=1.3
    )


def _ids(trace: Trace, block: Block) -> Picture:
    ids = as_numpy(trace[block.before][0])
    cells = tuple((str(number),) for number in ids)
    values = np.zeros((len(ids), 1), np.float32)
    axis = say("map.axis_ids")
    return Picture(say("map.goes_in"), values, axis, "plain", limit=1.0, cells=cells, share=0.45)


def _candidates(trace: Trace) -> list[Picture]:
    """The scores of each row's likeliest words, and the probabilities that they become."""
    rows = [trace.candidates(row, BEST) for row in range(len(trace.target_tokens))]
    index = {piece: at for at, piece in enumerate(trace.vocabulary)}
    logits = trace["output/logits"][0]  # (T, V), where the model is
    places = logits.new_tensor([[index[best.piece] for best in row] for row in rows]).long()
    scores = as_numpy(logits.gather(1, places))  # (T, k)
    chances = np.array([[best.probability for best in row] for row in rows], np.float32)
    ranks = say("map.axis_ranks")
    names = tuple(tuple(visible(best.token, LONGEST_WORD) for best in row) for row in rows)
    printed = tuple(tuple(format_percent(best.probability) for best in row) for row in rows)
    titles = say("map.best_scores"), say("map.best_chances")
    return [
        Picture(titles[0], scores, ranks, "signed", "data", largest_magnitude(scores), cells=names),
        Picture(titles[1], chances, ranks, "positive", "weights", 1.0, cells=printed),
    ]


def block_facts(trace: Trace, block: Block, precision: int = 3) -> list[Fact]:
    """What is measured about a block; values are means over the words unless they name one."""
    measure = _attention if block.is_attention else MEASURES.get(block.kind)
    found = measure(trace, block, precision) if measure else []
    return [*_moved(trace, block, precision), *found]


def _moved(trace: Trace, block: Block, precision: int) -> list[Fact]:
    """Lengths before and after, how far the block moved the vectors, what is left of their way."""
    found = change_by_block(trace, block)
    if found is None:
        return []
    before, after = (float(lengths.mean()) for lengths in (found.before, found.after))
    ends = {"before": format_number(before, precision), "after": format_number(after, precision)}
    # "Add & norm" is compared with the sum: what was added is the sub-layer's doing.
    summed = block.kind == "add_norm"
    return [
        (say("map.stat_sum_length" if summed else "map.stat_length"), say("map.from_to", **ends)),
        (say("map.stat_norm_moved" if summed else "map.stat_moved"), whole_percent(found.ratio)),
        (say("map.stat_direction"), format_number(float(found.cosine.mean()), precision)),
    ]


def _parts(trace: Trace, block: Block, _: int) -> list[Fact]:
    """How far each sub-layer of a layer moved the stream."""
    kinds = sublayers(trace.config, block.stack)
    return [
        (name_of(trace.config, part), whole_percent(moved.ratio))
        for part in blocks_of_model(trace.config)
        if block.id in Address.of(part.id).branches and part.kind in kinds
        if (moved := change_by_block(trace, part)) is not None
    ]


def _attention(trace: Trace, block: Block, _: int) -> list[Fact]:
    each = "  ".join(format_number(float(value), 2) for value in head_entropies(trace, block))
    most = say("map.nats", value=format_number(highest_entropy(trace, block), 2))
    return [(say("map.stat_entropy"), say("map.nats", value=each)),
            (say("map.stat_entropy_most"), most)]  # fmt: skip


def _neurons(trace: Trace, block: Block, _: int) -> list[Fact]:
    fired = count_firing(trace, block)
    return [
        (say("map.stat_active"), whole_percent(float(fired.active.mean()))),
        (say("map.stat_silent"), say("map.stat_of", count=fired.silent, total=fired.width)),
    ]


def _spreads(trace: Trace, block: Block, precision: int) -> list[Fact]:
    """Mean and spread of the vectors that the norm reads, and of those that it puts out."""
    ends = block.stream or (block.before, block.after)
    before, after = (feature_spread(trace, address) for address in ends)
    return [
        (say("map.stat_mean"), _pair(before.mean, after.mean, precision)),
        (say("map.stat_std"), _pair(before.std, after.std, precision)),
    ]


def _pair(before: Numbers, after: Numbers, precision: int) -> str:
    means = [float(values.mean()) for values in (before, after)]
    # A mean that is 0 but for rounding is said to be 0, not a number of its own.
    shown = ["≈ 0" if abs(mean) < ROUNDING else format_number(mean, precision) for mean in means]
    return say("map.from_to", before=shown[0], after=shown[1])


def _lengths(trace: Trace, block: Block, precision: int) -> list[Fact]:
    lengths = np.linalg.norm(as_numpy(trace[block.after][0]).astype(np.float64), axis=1)

    def of(at: int) -> str:
        value = format_number(float(lengths[at]), precision)
        return _of_word(value, words_of(trace, block), at)

    return [
        (say("map.stat_longest"), of(int(lengths.argmax()))),
        (say("map.stat_shortest"), of(int(lengths.argmin()))),
    ]


def _chances(trace: Trace, _block: Block, _: int) -> list[Fact]:
    chances = probabilities(trace)
    weakest = least_sure(trace, range(len(chances)))
    least = _of_word(format_percent(chances[weakest]), trace.output_tokens, weakest)
    mean = format_percent(float(np.mean(chances)))
    return [(say("map.stat_chance"), mean), (say("map.stat_least"), least)]


def _scores(trace: Trace, _block: Block, precision: int) -> list[Fact]:
    logits = trace["output/logits"][0]  # (T, V), where the model is
    ends = [format_number(float(value), precision) for value in (logits.min(), logits.max())]
    return [
        (say("map.stat_scored"), str(logits.shape[1])),
        (say("map.stat_range"), say("map.between", least=ends[0], most=ends[1])),
    ]


def _of_word(value: str, words: Sequence[str], at: int) -> str:
    return say("map.of_word", value=value, word=visible(words[at]))


MEASURES: dict[Kind, Callable[[Trace, Block, int], list[Fact]]] = {
    "feed_forward": _neurons,
    "add_norm": _spreads,
    "norm": _spreads,
    "final_norm": _spreads,
    "embedding_norm": _spreads,
    "embedding": _lengths,
    "layer": _parts,
    "softmax": _chances,
    "linear": _scores,
}

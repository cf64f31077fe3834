"""Where attention looks, how sharply, and whether that is where the grammar says.

This is about pictures: whether a head that looks at the right word also matters is another
question, that of `core.training.evaluation.interventions`.

Softmax of large scores has no gradient (§3.2.1: the reason for √d_k). A head whose rows are
one-hot with and without that division is saturated: it learns nothing, and the division explains
nothing in it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from glassformer.core.corpus import DIRECTIONS, Direction, Pair
from glassformer.core.text.vocabulary import END
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit
from glassformer.core.training.evaluation.passes import Pass, Tally, count_true, run_passes

OFFSETS = {"previous": -1, "same": 0, "next": 1}  # of self-attention: where the column lies
ROLES = (*OFFSETS, "alignment", "antecedent")
ONE_HOT = 0.99  # a row with a larger weight is


@dataclass(frozen=True)
class Part:
    """One head, or all heads of an attention where `head` is None."""

    stack: str  # encoder/0/self_attention
    head: int | None

    @property
    def address(self) -> str:
        return f"{self.stack}/context"

    @property
    def where(self) -> str:
        """As on screen: `layer 1 head 3`, or `layer 1` for all heads; counted from 1."""
        layer = f"layer {(Address.of(self.stack).layer or 0) + 1}"
        return layer if self.head is None else f"{layer} head {self.head + 1}"

    @property
    def name(self) -> str:
        at = Address.of(self.stack)
        return f"{at.stack} {at.part.replace('_', '-')} {self.where}"

    @property
    def heads(self) -> slice:
        """Its heads, along the axis of heads."""
        return slice(None) if self.head is None else slice(self.head, self.head + 1)

    def edit(self, filling: Tensor | None) -> Edit:
        """Zeroes the part's output, or replaces it in every row.

        Args:
            filling: (H, K), what all heads of the attention get; the part takes its own. None is 0.

        Returns:
            An edit of the attention's `context`.
        """

        def change(context: Tensor) -> Tensor:  # (B, H, T, K)
            context[:, self.heads] = 0.0 if filling is None else filling[self.heads, None]
            return context

        return Edit(self.address, change, f"without {self.name}")


Roles = dict[Part, dict[str, Tally]]


def attention_parts(translator: Translator) -> Iterator[Part]:
    """Every attention of the model as a whole, each followed by its heads.

    Args:
        translator: the model with its tokenizer.

    Yields:
        The parts: of the encoder, of the decoder's self-attention, of its cross-attention.
    """
    config = translator.config
    stacks = [f"encoder/{i}/self_attention" for i in range(config.encoder_layers)]
    for kind in ("self_attention", "cross_attention"):
        stacks += [f"decoder/{i}/{kind}" for i in range(config.decoder_layers)]
    for stack in stacks:
        yield Part(stack, None)
        yield from (Part(stack, head) for head in range(config.n_heads))


def tally_looks(weights: Tensor, places: Tensor) -> list[Tally]:
    """How often each head's rows look most at their place; rows without one are not counted.

    Args:
        weights: (B, H, T, S) attention weights.
        places: (N, 3), sentence, row and column; a row may have several columns.

    Returns:
        A tally for each head.
    """
    right = torch.zeros_like(weights[:, 0], dtype=torch.bool)  # (B, T, S)
    right[places[:, 0], places[:, 1], places[:, 2]] = True
    most = weights.argmax(dim=-1, keepdim=True)  # (B, H, T, 1)
    met = right[:, None].expand(weights.shape).gather(-1, most)  # (B, H, T, 1)
    total = int(right.any(dim=-1).sum())
    return [Tally(count, total) for count in met.sum(dim=(0, 2, 3)).tolist()]


def count_looks(run: Pass, translator: Translator, roles: Sequence[str], found: Roles) -> None:
    """Adds the rows of a pass to the tallies of the roles, by head and by the mean of all heads.

    Rows count that have a place of the role: words, not `<eos>` or padding.

    Args:
        run: a pass that kept attention weights and nothing else.
        translator: the model with its tokenizer.
        roles: some of `ROLES`.
        found: the tallies so far, which are added to.
    """
    end = translator.tokenizer.vocabulary.id(END)
    for address, weights in run.kept.items():  # (B, H, T, S)
        heads = (None, *range(weights.size(1)))
        maps = torch.cat([weights.mean(dim=1, keepdim=True), weights], dim=1)
        for role, places in _places(run, address, end).items():
            if role in roles:
                for head, each in zip(heads, tally_looks(maps, places), strict=True):
                    part = Part(Address.of(address).place, head)
                    found.setdefault(part, defaultdict(Tally))[role] += each


def by_layer(found: Roles, role: str) -> dict[str, Tally]:
    """The tallies of a role by `layer 2`, the mean of its heads, and `layer 2 head 1`.

    Args:
        found: the tallies of parts of one kind of attention.
        role: one of `ROLES`, which all these parts have.

    Returns:
        The tallies by name; layers and heads count from 1.
    """
    return {part.where: tallies[role] for part, tallies in found.items()}


def alignment(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> dict[str, Tally]:
    """The share of rows that look at a word they translate, by layer and by head.

    Args:
        translator: the model with its tokenizer.
        pairs: of the grammar, with their alignment.
        direction: `en-zh` or `zh-en`.

    Returns:
        Tallies of the cross-attention by `layer 2`, the mean of its heads, and `layer 2 head 1`.
    """
    found: Roles = {}
    for run in run_passes(translator, pairs, direction, keep=is_cross_attention):
        count_looks(run, translator, ["alignment"], found)
    return by_layer(found, "alignment")


def is_cross_attention(at: Address) -> bool:
    """Whether these are weights of a decoder's look at the source.

    Args:
        at: of a recorded tensor.

    Returns:
        True for the weights of a cross-attention.
    """
    return at.is_cross and at.name == "weights"


def antecedents(
    translator: Translator, pairs: Sequence[Pair], direction: Direction = "en-zh"
) -> dict[str, Tally]:
    """For every encoder head: how often the pronoun's row looks most at its antecedent.

    Args:
        translator: the model with its tokenizer.
        pairs: of the grammar, with their antecedents.
        direction: `en-zh` or `zh-en`.

    Returns:
        Tallies by `layer 2 head 1`, counted from 1.
    """
    return by_layer(head_roles(translator, pairs, direction, ["antecedent"]), "antecedent")


def head_roles(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    roles: Sequence[str] = ROLES,
) -> Roles:
    """How often the rows of each head look most at the place of a role (see `_places`).

    Args:
        translator: the model with its tokenizer.
        pairs: of the grammar, with alignment and antecedents.
        direction: `en-zh` or `zh-en`.
        roles: some of `ROLES`.

    Returns:
        Tallies by head and role; a head has the roles that its attention can play.
    """
    found: Roles = {}
    for run in run_passes(translator, pairs, direction, keep=lambda at: at.name == "weights"):
        count_looks(run, translator, roles, found)
    return {part: dict(tallies) for part, tallies in found.items() if part.head is not None}


def _places(run: Pass, address: str, end: int) -> dict[str, Tensor]:
    """The places of each role in one attention of a pass, (N, 3) as `tally_looks` takes them."""
    at = Address.of(address)
    if at.is_cross:
        return {"alignment": run.batch.alignment}
    encoder = at.stack == "encoder"
    ids = run.batch.source if encoder else run.batch.target_input  # (B, T)
    words = (ids != 0) & (ids != end)
    found = {
        r: rows_with_offset(words, offset) for r, offset in OFFSETS.items() if encoder or offset < 1
    }
    return {**found, "antecedent": run.batch.antecedents} if encoder else found


def rows_with_offset(words: Tensor, offset: int) -> Tensor:
    """Rows of words that have a word so many places on.

    Args:
        words: bool (B, T), the positions that hold words.
        offset: how many places on; negative for those before.

    Returns:
        (N, 3): sentence, row and its column.
    """
    rows = words.nonzero()  # (N, 2), sentence and row
    columns = rows[:, 1] + offset
    inside = (columns >= 0) & (columns < words.size(1))
    rows, columns = rows[inside], columns[inside]
    both = words[rows[:, 0], columns]
    return torch.cat([rows, columns[:, None]], dim=1)[both]


@dataclass(frozen=True)
class Sharpness:
    """One head, or the mean of an attention's heads, over the rows that may look at two or more."""

    saturated: float  # share of rows with a weight above ONE_HOT
    unscaled: float  # the same of the same scores without the division by √d_k
    end: float  # mean weight on the source's `<eos>`; 0 in the decoder's self-attention
    score: float  # mean absolute scaled score

    def to_dict(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


def measure_sharpness(translator: Translator, pairs: Sequence[Pair]) -> dict[Part, Sharpness]:
    """Of every attention as a whole (the mean of its heads) and of every head.

    Args:
        translator: the model with its tokenizer.
        pairs: what is translated, each in the directions that it teaches.

    Returns:
        How sharp each part is, over the rows that may look at two keys or more.
    """
    end = translator.tokenizer.vocabulary.id(END)
    width, stacks = translator.config.d_k, {part.stack for part in attention_parts(translator)}
    sums: dict[str, list[Tensor]] = defaultdict(list)

    def wanted(at: Address) -> bool:
        return at.is_attention and at.name in ("scaled", "mask")

    for direction in DIRECTIONS:
        for run in run_passes(translator, pairs, direction, keep=wanted):
            for stack in stacks:
                sums[stack].append(_measured(run, stack, width, end))
    means = {stack: torch.cat(found, dim=-1).mean(dim=-1) for stack, found in sums.items()}
    return {
        part: Sharpness(*(means[part.stack].mean(1) if part.head is None else at).tolist())
        for part in attention_parts(translator)
        for at in [means[part.stack][:, part.head or 0]]
    }


def without_scale(translator: Translator, pairs: Sequence[Pair]) -> dict[Part, Tally]:
    """By attention: the translations that change a word where its scores are not scaled by √d_k.

    Counted after the expected words, as in `core.training.evaluation.passes`.

    Args:
        translator: the model with its tokenizer.
        pairs: what is translated, each in the directions that it teaches.

    Returns:
        A tally for each attention as a whole.
    """
    factor, found = math.sqrt(translator.config.d_k), {}
    before = _preferred(translator, pairs, ())
    for part in attention_parts(translator):
        if part.head is None:
            edit = Edit(f"{part.stack}/scaled", lambda scaled: scaled * factor, "unscaled")
            after = _preferred(translator, pairs, (edit,))
            changed = (one != other for one, other in zip(before, after, strict=True))
            found[part] = count_true(changed)
    return found


def _preferred(
    translator: Translator, pairs: Sequence[Pair], edits: Sequence[Edit]
) -> list[list[int]]:
    """The words that the rows of each translation prefer, both directions."""
    found: list[list[int]] = []
    for direction in DIRECTIONS:
        for run in run_passes(translator, pairs, direction, edits=lambda _: edits):
            found += run.preferred.tolist()
    return found


def _measured(run: Pass, stack: str, width: int, end: int) -> Tensor:
    """The four figures of `Sharpness` for every head and row that has a choice, (4, H, N)."""
    at = Address.of(stack)
    ids = run.batch.source if at.side == "source" else run.batch.target_input  # (B, T)
    every = run.kept[f"{stack}/mask"]  # (B, H, T, S)
    rows, places = ((ids != 0) & (every[:, 0].sum(dim=-1) > 1)).nonzero().T  # (N,) each
    mask, scaled = every[rows, :, places], run.kept[f"{stack}/scaled"][rows, :, places]
    weights, unscaled = (
        (scaled * factor).masked_fill(~mask, -torch.inf).softmax(dim=-1)  # (N, H, S)
        for factor in (1.0, math.sqrt(width))
    )
    of_source = at.key_side == "source"
    ends = run.batch.source[rows, None] == end if of_source else torch.zeros_like(mask)
    figures = (
        (weights.amax(dim=-1) > ONE_HOT).float(),
        (unscaled.amax(dim=-1) > ONE_HOT).float(),
        (weights * ends).sum(dim=-1),
        (scaled.abs() * mask).sum(dim=-1) / mask.sum(dim=-1),
    )
    return torch.stack(figures).transpose(1, 2)

"""Sequence to sequence with an LSTM: one context vector for all words, or attention to each state.

The LSTM is untrained: its matrices are drawn from a seed, its biases are 0 but for the forget
gate's. What is measured is how far each of the two answers moves when a word is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_number, read_whole_number
from glassformer.core.lab.parts import build_seeded
from glassformer.core.model.masks import apply_mask, causal_mask

Answer = Literal["vector", "attention"]
LONGEST, WIDEST = 16, 6  # words, and numbers in a state


@dataclass(frozen=True)
class Gates:
    """Every step of an LSTM, each (…, n, d)."""

    input: Tensor  # i, how much of the new goes in
    forget: Tensor  # f, how much of the cell before stays
    candidate: Tensor  # g, the new
    cell: Tensor  # c_t = f · c_{t−1} + i · g
    output: Tensor  # o, how much of the cell is shown
    hidden: Tensor  # h_t = o · tanh c_t

    @property
    def kept(self) -> Tensor:
        """What the forget gates of all later words leave of a step's cell, (…, n, d)."""
        later = torch.cat([self.forget[..., 1:, :], torch.ones_like(self.forget[..., :1, :])], -2)
        return later.flip(-2).cumprod(-2).flip(-2)


@dataclass(frozen=True)
class Reading:
    """A sentence read by the LSTM; words count from 0."""

    words: tuple[str, ...]
    gates: Gates  # (n, d) each
    by_word: dict[Answer, Tensor]  # (n,) share by which the answer moves without that word
    by_length: dict[Answer, Tensor]  # (n,) the same without the first word, after 1, 2, … n words


def read_words(
    words: Any, width: Any = 4, forget: Any = 1.0, seed: Any = 0, step: Any = 1
) -> tuple[Reading, int]:
    """Reads words by an untrained LSTM; equal words have equal vectors.

    Args:
        words: 2 to 16.
        width: d, of the vectors and states, 2 to 6.
        forget: the forget gate's bias, −4 to 8.
        seed: 0 to 2³¹, of the weights and the vectors.
        step: counts from 1, to 16; the last one where there are fewer words.

    Returns:
        The sentence as it was read, and the step asked for, from 0.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`; `lab_shape` for another number of words.
    """
    given = _words(words)
    wide, start = (
        read_whole_number("width", width, 2, WIDEST),
        read_whole_number("seed", seed, 0, 2**31),
    )
    cell = lstm(wide, read_number("forget", forget, -4, 8), start)
    x = _vectors(given, wide, start)  # (n, d)
    gates = run_lstm(cell, x)
    own = decoder_inputs(gates.hidden)
    left = [
        decoder_inputs(run_lstm(cell, torch.cat([x[:at], x[at + 1 :]])).hidden)
        for at in range(len(x))
    ]
    moved: dict[Answer, tuple[Tensor, Tensor]] = {}
    for kind, whole_one in own.items():
        others = torch.stack([each[kind] for each in left])  # (n, n − 1, d)
        nothing = torch.zeros_like(whole_one[:1])
        first = torch.cat([nothing, others[0]])  # after as many words, without the first
        moved[kind] = _share(others[:, -1], whole_one[-1]), _share(first, whole_one)
    return Reading(
        words=given,
        gates=gates,
        by_word={kind: pair[0] for kind, pair in moved.items()},
        by_length={kind: pair[1] for kind, pair in moved.items()},
    ), min(read_whole_number("step", step, 1, LONGEST), len(given)) - 1


def lstm(width: int, forget: float, seed: int) -> nn.LSTM:
    """An untrained LSTM (Hochreiter & Schmidhuber 1997; Gers et al. 2000 for the forget gate).

    Args:
        width: d, of inputs and states.
        forget: bias of the forget gate; all others are 0.
        seed: of the matrices.

    Returns:
        The layer in float64, without gradients.
    """
    layer = build_seeded(lambda: nn.LSTM(width, width, batch_first=True), seed).double()
    layer.get_parameter("bias_ih_l0")[width : 2 * width] = forget  # torch's order: i, f, g, o
    return layer


def run_lstm(layer: nn.LSTM, x: Tensor) -> Gates:
    """Runs an LSTM step by step, beginning with an empty cell and state.

    Args:
        layer: of one direction, with inputs of width d.
        x: (n, d) the words' vectors.

    Returns:
        Gates, cells and states of every step, (n, d) each.
    """
    names = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0")
    w, b, u, c = (layer.get_parameter(name) for name in names)
    state = cell = torch.zeros_like(x[0])
    steps = []
    for word in x:
        i, f, g, o = (w @ word + b + u @ state + c).chunk(4)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        cell = f * cell + i * g
        state = o * cell.tanh()
        steps.append((i, f, g, cell, o, state))
    return Gates(*map(torch.stack, zip(*steps, strict=True)))


def attention_weights(states: Tensor) -> Tensor:
    """After every word, the weights of the state there on those up to it (causal attention).

    Args:
        states: (n, d), both queries and keys, scaled by √d.

    Returns:
        (n, n); each row sums to 1.
    """
    scaled = states @ states.mT / states.size(-1) ** 0.5
    mask = causal_mask(len(states))
    return apply_mask(scaled[None, None], mask, "minus_infinity")[0, 0].softmax(dim=-1)


def decoder_inputs(states: Tensor) -> dict[Answer, Tensor]:
    """What a decoder gets after each word: the state alone, or the mixture of all up to it.

    Args:
        states: (n, d).

    Returns:
        (n, d) under "vector" and under "attention".
    """
    return {"vector": states, "attention": attention_weights(states) @ states}


def _share(moved: Tensor, before: Tensor) -> Tensor:
    share: Tensor = (moved - before).norm(dim=-1) / before.norm(dim=-1)
    return share


def _words(words: Any) -> tuple[str, ...]:
    given = tuple(str(each).strip() for each in words) if isinstance(words, Sequence) else ()
    if not 2 <= len(given) <= LONGEST:
        size = f"2 … {LONGEST}"
        raise GlassformerError("lab_shape", name="words", given=len(given), needed=size)
    return given


def _vectors(words: Sequence[str], width: int, seed: int) -> Tensor:
    """One vector a different word, (n, d); the sentence's first words do not depend on the rest."""
    generator = torch.Generator().manual_seed(seed)
    table: dict[str, Tensor] = {}
    for word in words:
        if word.casefold() not in table:
            drawn = torch.randn(width, generator=generator, dtype=torch.float64)
            table[word.casefold()] = drawn
    return torch.stack([table[word.casefold()] for word in words])

"""Which word made this word: what each word of a run adds to a number that the run ends in.

The number is a metric: the logit of a word at a row, the difference of two, anything else. Every
method gives the same form, a number a word of the source and of the target; what they say differs,
and so do their signs: each says where it is from and what it does not establish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn

from glassformer.core.analysis.attention_flow import (
    attention_shares,
    gradient_attention_shares,
    rollout_shares,
)
from glassformer.core.analysis.held_run import (
    LOGITS,
    Inputs,
    Metric,
    gradients,
    hold_edits,
    leaf_edits,
    rerun,
)
from glassformer.core.analysis.vectors import Numbers
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.device import in_widest, to_float64
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.results import LINES, NEGATIVE, POSITIVE, Picture, Result
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

Method = Literal[
    "exact", "saliency", "input_x_gradient", "integrated_gradients", "gradient_attention",
    "attention", "rollout",
]  # fmt: skip
METHODS: tuple[Method, ...] = get_args(Method)
SIGNED = ("exact", "input_x_gradient", "integrated_gradients")
NODES = 32  # of the integral of integrated gradients
NEAR = 1e-2  # of the largest share or the number: a logit is nearer, what bends is not
AT_ONCE = 2**28  # bytes of recorded tensors of texts that run together, with their graph


@dataclass(frozen=True, repr=False)
class WordAttribution(Result):
    """What each word adds to a number, by one method.

    rest: what is in no word, by name; {} for a method that does not add up. Of `exact`: `positions`
    and `biases`; of `integrated_gradients`: `baseline`, the number without any word.
    """

    method: Method
    value: float  # the number, as this run has it
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    source: Numbers = field(repr=False)  # (S,)
    target: Numbers = field(repr=False)  # (T,) what was read of the target; 0 for later words
    rest: Mapping[str, float] = field(default_factory=dict)

    @property
    def adds_up(self) -> bool:
        """Whether the method says that its numbers add up to the value."""
        return bool(self.rest)

    @property
    def total(self) -> float:
        """The sum of all words and of what is in no word."""
        return float(self.source.sum() + self.target.sum()) + sum(self.rest.values())

    @property
    def error(self) -> float:
        """How far the sum is from the value; NaN for a method that does not add up."""
        return abs(self.total - self.value) if self.adds_up else float("nan")

    def headline(self) -> str:
        """The number, the method, and how far the words are from adding up to it."""
        off = f", the sum of the words is off by {self.error:.1g}" if self.adds_up else ""
        return f"{self.method}: what each word adds to {self.value:.4g}{off}"

    def lines(self) -> pd.DataFrame:
        """The rows with the largest numbers, whatever their sign."""
        table = self.table()
        order = table["value"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order[:LINES]]

    def picture(self) -> Picture:
        """Both sentences, each word tinted by its share, and what is in no word."""
        sides = [(self.source_words, self.source), (self.target_words, self.target),
                 (tuple(self.rest), np.array([*self.rest.values()]))]  # fmt: skip
        most = max([float(np.abs(values).max(initial=0.0)) for _, values in sides]) or 1.0
        rows = "".join(
            f"<tr>{''.join(map(partial(_tinted, most), words, values.tolist()))}</tr>"
            for words, values in sides
        )
        return Picture(f"<p>{escape(self.headline())}</p><table>{rows}</table>")

    def table(self) -> pd.DataFrame:
        """A row a word, then a row for each thing that is in no word.

        Returns:
            Columns `side` (source, target, rest), `position` (from 0), `word`, `value`.
        """
        import pandas as pd  # slow to import, and no page needs it to begin

        rows = [
            {"side": side, "position": at, "word": word, "value": float(value)}
            for side, words, values in (
                ("source", self.source_words, self.source),
                ("target", self.target_words, self.target),
            )
            for at, (word, value) in enumerate(zip(words, values, strict=True))
        ]
        rows += [{"side": "rest", "position": None, "word": name, "value": value}
                 for name, value in self.rest.items()]  # fmt: skip
        return pd.DataFrame(rows).astype({"position": "Int64"})


def _tinted(most: float, word: str, value: float) -> str:
    """A word over its number, in a cell whose colour says how large it is, and its sign."""
    colour = POSITIVE if value >= 0 else NEGATIVE
    tint = f"color-mix(in oklab,{colour} {70 * abs(value) / most:.0f}%,transparent)"
    number = f'<br><small title="{value:.9g}">{value:.3g}</small>'
    return f'<td style="background:{tint};padding:.1em .4em">{escape(word)}{number}</td>'


def logit_metric(row: int, word: int, other: int | None = None) -> Metric:
    """The logit of a word at a row, less another word's.

    Args:
        row: of the output, from 0.
        word: its id.
        other: the id of the word whose logit is taken off; None for the logit itself.

    Returns:
        A function from the tensors of a run to a number a text, (B,).
    """

    def metric(tensors: Mapping[str, Tensor]) -> Tensor:
        logits = tensors[LOGITS][:, row]  # (B, V)
        return logits[:, word] if other is None else logits[:, word] - logits[:, other]

    return metric


@dataclass(frozen=True)
class WordQuestion:
    """What is asked of a run, for any method.

    row: whose attention `attention`, `rollout` and `gradient_attention` follow, from 0. edits:
    those that the run was made under. reads: the addresses that the metric reads. rows: how many
    rows of the target it needs, None for all; later ones are not computed again. One pass with
    gradients serves the methods that need it.
    """

    trace: Trace
    model: Transformer
    metric: Metric
    row: int
    edits: tuple[Edit, ...] = ()
    reads: tuple[str, ...] = (LOGITS,)
    rows: int | None = None

    @staticmethod
    def of_word(
        trace: Trace, model: Transformer, row: int, word: int, other: int | None = None,
        edits: Sequence[Edit] = (),
    ) -> WordQuestion:  # fmt: skip
        """Which words made the logit of a word at a row (less another word's).

        Args:
            trace: the run that is asked.
            model: the one that made it.
            row: of the output, from 0.
            word: the id of the word, from 0.
            other: the id of the word whose logit is taken off; None for the logit itself.
            edits: those that the run was made under.

        Returns:
            The question, for `attribute_words`.

        Raises:
            GlassformerError: `no_generator` for a model that writes no words, `out_of_range` for a
                row or a word that does not exist.
        """
        if not trace.config.has_generator:
            raise GlassformerError("no_generator", name=trace.model_name)
        check_index("row", row, len(trace.output_pieces))
        for each in (word, *([] if other is None else [other])):
            check_index("word", each, trace.config.vocabulary_size)
        # No row of a decoder knows of later ones, unless an edit lets it.
        rows = row + 1 if trace.config.decoder_layers and not edits else None
        metric = logit_metric(row, word, other)
        return WordQuestion(trace, model, metric, row, tuple(edits), rows=rows)

    @cached_property
    def inputs(self) -> Inputs:
        """What the run was made of, as far as the metric needs it."""
        inputs = Inputs.of(self.trace)
        if inputs.dropout:  # in the shapes of the whole run
            return inputs
        return replace(inputs, target=inputs.target[:, : self.rows])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The addresses of the words' vectors, as they enter: the source's, the target's."""
        return tuple(name for name in (f"{side}/scaled" for side in SIDES) if name in self.trace)

    @cached_property
    def maps(self) -> tuple[str, ...]:
        """The addresses of all attention weights."""
        return tuple(each for each in self.trace if each.endswith("/weights"))

    @cached_property
    def plain(self) -> tuple[dict[str, Tensor], Mapping[str, Tensor], float]:
        """Gradients of the run as it is, its tensors, and the number it ends in."""
        keep = (*self.words, *self.maps)
        edits = (*self.edits, *leaf_edits(self.words))
        tensors = rerun(self.model, self.inputs, edits, (*keep, *self.reads))
        value = _numbers(self.metric(tensors), 1)
        return gradients(value, tensors, keep), tensors, float(value.detach())


SIDES = ("source", "target")


def bytes_with_graph(trace: Trace) -> int:
    """Bytes that a run like another takes with its graph, before they are spent.

    Args:
        trace: of a run of the same lengths.

    Returns:
        About three times what a recording takes: autograd keeps what each step has read.
    """
    read, written = len(trace.source_tokens), len(trace.target_tokens)
    return 3 * recorded_bytes(trace.config, read, written)


def attribute_words(asked: WordQuestion, method: Method) -> WordAttribution:
    """What each word adds to the number that was asked for, by one method.

    Args:
        asked: the run and the number.
        method: `exact`, `saliency`, `input_x_gradient`, `integrated_gradients`,
            `gradient_attention`, `attention` or `rollout`; each is a function of this module that
            says its source, its signs, its cost and what it does not establish.

    Returns:
        A number a word; what the method leaves outside of the words is in `rest`.

    Raises:
        GlassformerError: `attribution_method` for another method; `metric_shape` for a metric that
            is no number a text; `metric_not_linear` as `exact_words`.
    """
    if method not in _METHODS:
        raise GlassformerError("attribution_method", given=method, known=", ".join(METHODS))
    return _METHODS[method](asked)


def exact_words(asked: WordQuestion) -> WordAttribution:
    """The exact split: word vectors times the gradient of the run with all that bends it held.

    Attention weights, norm statistics and gates are held (`hold_edits`), as direct logit
    attribution does for the last stack (Elhage et al. 2021) and ALTI-Logit for whole models
    (Ferrando et al. 2023); then a logit is linear in what enters. A number above 0 speaks for the
    word that is asked for. Costs one pass and one backward pass.

    It does not say what would happen without a word: then weights, statistics and gates would be
    others. What words do by moving attention is not in it.

    Args:
        asked: the run; its number has to be linear in the logits.

    Returns:
        `rest` has `positions` (with token types), `biases` (of all layers, shifts of norms and the
        word's own), and `switched` for what an experiment's edits set. The sum is the number but
        for rounding: biases are computed, they are no remainder.

    Raises:
        GlassformerError: `metric_not_linear` for a number that does not add up, such as a
            probability; `metric_shape`.
    """
    entering = [
        f"{side}/{name}" for side in SIDES for name in ("positions", "token_type")
        if f"{side}/{name}" in asked.trace
    ]  # fmt: skip
    leaves, biased = (*asked.words, *entering), dict(_biases(asked.model, asked.trace))
    edits = (*asked.edits, *leaf_edits(leaves), *hold_edits(asked.trace.config))
    tensors = rerun(asked.model, asked.inputs, edits, (*leaves, *biased, *asked.reads))
    number = _numbers(asked.metric(tensors), 1)
    found = gradients(number, tensors, (*leaves, *biased))
    rest = {
        "positions": sum(_dot(found[name], tensors[name]) for name in entering),
        "biases": sum(_dot(found[name], bias) for name, bias in biased.items()),
    }
    value = float(number.detach())
    words = [_products(found[name], tensors[name]) for name in asked.words]
    total = float(sum(each.sum() for each in words)) + sum(rest.values())
    if asked.edits:
        rest["switched"] = value - total
    elif abs(value - total) > NEAR * _largest(value, words) + _rounding(number, tensors):
        raise GlassformerError("metric_not_linear", off=f"{value - total:.3g}")
    return _made("exact", asked, value, words, rest)


def _largest(value: float, words: Sequence[Numbers]) -> float:
    return max(abs(value), *(float(np.abs(each).max(initial=0.0)) for each in words))


def _rounding(number: Tensor, tensors: Mapping[str, Tensor]) -> float:
    """How far a difference of logits may be off because each of them was rounded."""
    logits = tensors.get(LOGITS, number)
    return 8 * torch.finfo(logits.dtype).eps * float(logits.detach().abs().max())


def saliency(asked: WordQuestion) -> WordAttribution:
    """How long the gradient by each word's vector is (Simonyan et al. 2013, Li et al. 2016).

    Never below 0: it says how sensitive the number is to a word, for or against. Costs one pass
    and one backward pass, shared with `input_x_gradient` and `gradient_attention`.

    It does not say what a word adds: a word at which the number is flat may still carry it.

    Args:
        asked: the run and the number.

    Returns:
        Lengths; they add up to nothing.
    """
    found, _, value = asked.plain
    lengths = [in_widest(found[name][0]).norm(dim=-1) for name in asked.words]
    words = [to_float64(each).numpy() for each in lengths]
    return _made("saliency", asked, value, words)


def input_x_gradient(asked: WordQuestion) -> WordAttribution:
    """Each word's vector times the gradient by it (Shrikumar et al. 2016, Denil et al. 2014).

    Above 0 where a longer vector would raise the number. Costs as `saliency`.

    It is the first step from the run as it is; how far the number goes when a word goes it does not
    say, and the numbers add up to nothing.

    Args:
        asked: the run and the number.

    Returns:
        Products, with their signs.
    """
    found, tensors, value = asked.plain
    words = [_products(found[name], tensors[name]) for name in asked.words]
    return _made("input_x_gradient", asked, value, words)


def integrated_gradients(asked: WordQuestion, nodes: int = NODES) -> WordAttribution:
    """The gradients on the way from no word to the words, integrated (Sundararajan et al. 2017).

    The baseline are the same places with word vectors of 0: positions stay. Gauss–Legendre nodes,
    all in one batch. Above 0 speaks for the number. Costs one pass and one backward pass over
    `nodes` + 1 texts.

    The way goes through vectors that no text has; another baseline gives other numbers. With few
    nodes the sum misses the number: `error` says by how much.

    Args:
        asked: the run and the number.
        nodes: of the integral.

    Returns:
        `rest` has `baseline`, the number without words.
    """
    points, weights = np.polynomial.legendre.leggauss(nodes)
    alphas = [0.0, *((points + 1) / 2)]  # the first is the baseline
    shares = [0.0, *(weights / 2)]
    step = max(1, AT_ONCE // bytes_with_graph(asked.trace))
    sums = [np.zeros(1) for _ in asked.words]
    baseline = 0.0
    for start in range(0, len(alphas), step):
        some, weigh = alphas[start : start + step], shares[start : start + step]
        found, value = _on_the_way(asked, some)
        baseline = float(value[0]) if start == 0 else baseline
        for at, name in enumerate(asked.words):
            slopes = in_widest(found[name])  # (B, S, D)
            vectors = in_widest(asked.trace[name][0, : slopes.size(1)])  # (S, D)
            share = torch.tensor(weigh, dtype=slopes.dtype, device=slopes.device)
            path = torch.einsum("b,bsd->sd", share, slopes)
            sums[at] = sums[at] + to_float64((path * vectors).sum(dim=-1)).numpy()
    return _made("integrated_gradients", asked, _recorded(asked), sums, {"baseline": baseline})


def _on_the_way(
    asked: WordQuestion, alphas: Sequence[float]
) -> tuple[dict[str, Tensor], Sequence[float]]:
    """Gradients by the words' vectors, each text with them scaled by one number."""
    word = asked.trace[asked.words[0]]
    scale = torch.tensor(alphas, dtype=word.dtype, device=word.device)[:, None, None]
    edits = (*asked.edits, *leaf_edits(asked.words, scale))
    tensors = rerun(asked.model, asked.inputs, edits, (*asked.words, *asked.reads), len(alphas))
    value = _numbers(asked.metric(tensors), len(alphas))
    return gradients(value, tensors, asked.words), value.detach().tolist()


def gradient_attention(asked: WordQuestion) -> WordAttribution:
    """Attention times its gradient, where above 0, along the layers (Chefer et al. 2021).

    Of each map the mean over its heads of (A ⊙ ∂/∂A)⁺ is what a layer adds to the relevance of the
    words for each position; without the normalisation of that paper's equations 8 and 9. Never
    below 0. Costs as `saliency`.

    Feed-forward networks and what values say are not in it; it cannot speak against a word.

    Args:
        asked: the run and the number; `row` is the position that is followed.

    Returns:
        Relevances; they add up to nothing.
    """
    found, tensors, value = asked.plain
    weighted = {
        name: to_float64((found[name][0] * tensors[name][0]).clamp(min=0)).mean(dim=0)
        for name in asked.maps
    }
    words = gradient_attention_shares(asked.trace.config, weighted, asked.row)
    return _made("gradient_attention", asked, value, words)


def attention(asked: WordQuestion) -> WordAttribution:
    """Where the row looks: the mean of all layers' and heads' weights.

    The picture that is shown most (Bahdanau et al. 2015). Each side adds up to 1. Costs nothing,
    the run has it.

    A weight is not what comes through it, and deeper layers look at vectors in which words are
    mixed already (Jain & Wallace 2019): it does not say that a word matters.

    Args:
        asked: the run; the number does not matter, `row` does.

    Returns:
        Weights: of the source those of cross-attention, of the target those of self-attention.
    """
    words = attention_shares(asked.trace, asked.row)
    return _made("attention", asked, _recorded(asked), words)


def rollout(asked: WordQuestion) -> WordAttribution:
    """Attention followed through the layers, half of each layer passed by (Abnar & Zuidema 2020).

    Of an encoder–decoder both stacks, each sub-layer of attention in turn (as Ferrando et al. 2022
    do). All words together add up to 1. Costs a matrix product a layer.

    It follows weights alone: neither values nor feed-forward networks, nor the number that is asked
    for, are in it.

    Args:
        asked: the run; the number does not matter, `row` does.

    Returns:
        Shares of the row's words.
    """
    words = rollout_shares(asked.trace, asked.row)
    return _made("rollout", asked, _recorded(asked), words)


_METHODS: Mapping[str, Callable[[WordQuestion], WordAttribution]] = {
    "exact": exact_words, "saliency": saliency, "input_x_gradient": input_x_gradient,
    "integrated_gradients": integrated_gradients, "gradient_attention": gradient_attention,
    "attention": attention, "rollout": rollout,
}  # fmt: skip


def _made(
    method: Method, asked: WordQuestion, value: float, words: Sequence[Numbers],
    rest: Mapping[str, float] | None = None,
) -> WordAttribution:  # fmt: skip
    """words: of the source and of the target, of those that there are, as far as they were read."""
    trace = asked.trace
    by_side = {
        name.partition("/")[0]: np.pad(each, (0, trace[name].shape[1] - len(each)))
        for name, each in zip(asked.words, words, strict=True)
    }
    empty = np.zeros(0)
    return WordAttribution(
        method=method,
        value=value,
        source_words=trace.source_tokens if "source" in by_side else (),
        target_words=trace.target_tokens if "target" in by_side else (),
        source=by_side.get("source", empty),
        target=by_side.get("target", empty),
        rest=rest or {},
    )


def _recorded(asked: WordQuestion) -> float:
    """The number as the recorded run has it."""
    with torch.no_grad():
        return float(_numbers(asked.metric(asked.trace), 1))  # type: ignore[arg-type]


def _numbers(value: Tensor, texts: int) -> Tensor:
    if not isinstance(value, Tensor) or value.shape != (texts,):
        given = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
        raise GlassformerError("metric_shape", given=given, needed=f"({texts},)")
    return value


def _products(gradient: Tensor, tensor: Tensor) -> Numbers:
    """A number a word, (S,)."""
    products = (in_widest(gradient[0]) * in_widest(tensor[0])).sum(dim=-1)
    found: Numbers = to_float64(products).numpy()
    return found


def _dot(gradient: Tensor, other: Tensor) -> float:
    return float((in_widest(gradient) * in_widest(other)).sum())


def _biases(model: Transformer, trace: Trace) -> Sequence[tuple[str, Tensor]]:
    """Every bias that reaches the logits while weights and gates are held, by where it is added."""
    found = []
    for address in addresses(trace.config):
        at = Address.of(address)
        bias = _bias_at(model, at, trace)
        if bias is not None:
            found.append((address, bias))
    return found


def _bias_at(model: Transformer, at: Address, trace: Trace) -> Tensor | None:
    """What is added to all rows of the tensor there, in a shape that multiplies with it."""
    if at.group == "norm" and at.name == "output":
        return getattr(model.get_submodule(at.module), "beta", None)
    if at.text in (LOGITS, "output/dense"):
        head = model.generator.transform
        if at.text == LOGITS:
            return model.generator.bias
        return head.dense.bias if head is not None else None
    names = {"v": "w_v", "output": "w_o"} if at.is_attention else {
        "up" if trace.config.gated else "pre_activation": "w_3" if trace.config.gated else "w_1",
        "output": "w_2",
    }  # fmt: skip
    if at.group not in ("attention", "feed_forward") or at.name not in names:
        return None
    linear = model.get_submodule(f"{at.module}.{names[at.name]}")
    assert isinstance(linear, nn.Linear)
    bias: Tensor | None = linear.bias
    if bias is None or at.name != "v":
        return bias
    return bias.view(-1, 1, trace.config.of(at.text).d_k)  # (G, 1, K)

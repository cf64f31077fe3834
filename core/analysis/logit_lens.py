"""The logit lens: what each layer would write if the generator read it already.

§3.4: the generator reads the last state only. Read with it, the earlier states show when the word
that is written at the end comes up. It is a look from outside: the model never does this itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core.analysis.vectors import Numbers
from glassformer.core.config import ModelConfig
from glassformer.core.errors import check_index
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import Stack, StreamState, states
from glassformer.core.trace.tables import as_numpy, exact_numbers
from glassformer.core.trace.trace import Candidate, Trace

NormUse = Literal["final", "own", "none"]
Translate = Callable[[str, Tensor], Tensor]

EQUATIONS = {
    "lens": r"p^{(l)} = \mathrm{softmax}(\mathrm{LN}(x^{(l)})\, W^\top + b)",
    "divergence": r"\mathrm{KL}(p \,\Vert\, p^{(l)}) = \sum_w p_w \ln \frac{p_w}{p^{(l)}_w}",
}  # LaTeX


@dataclass(frozen=True)
class LensState:
    """A state of the decoder, and the norm that stands between it and the generator here.

    `final`: the decoder's final norm, applied by the lens. `own`: the state is the output of its
    own sub-layer's norm and is read as it is (post-norm). `none`: no norm has touched it, and the
    run has none to apply (the input in post-norm; every state in pre-norm without a final norm).
    """

    state: StreamState
    norm: NormUse


@dataclass(frozen=True)
class Lens:
    """What the generator makes of N states at T rows, k best words each."""

    states: tuple[LensState, ...]  # N; the last one is what the run itself read
    read: tuple[str, ...]  # T, the tokens the rows have read
    written: tuple[str, ...]  # T, the tokens the rows chose, or were given
    best: NDArray[np.int64]  # (N, T, k) ids of the most probable words, best first
    probabilities: Numbers  # (N, T, k) their probabilities
    chosen: Numbers  # (N, T) probability of the word the row wrote in the end
    rank: NDArray[np.int64]  # (N, T) 1 is the most probable; 0 where there is no number
    divergence: Numbers  # (N, T) KL(final ‖ state) in nats, 0 at the end
    entropy: Numbers  # (N, T) −Σ p ln p in nats: 0 is sure, ln V knows nothing
    error: float  # largest |logit| difference of the last state from the recorded logits


def lens(
    trace: Trace, model: Transformer, k: int = 5, sublayers: bool = False,
    translate: Translate | None = None,
) -> Lens:  # fmt: skip
    """Reads the states of the stack that writes with the generator of the model that made the run.

    The final distribution and the chosen words are the run's own.

    Args:
        trace: the run that is read, its first sentence.
        model: the one that made it.
        k: words kept of each distribution, at most V.
        sublayers: reads each sub-layer too, beside the end of each layer.
        translate: what is done to each state (B, T, D) before it is read, by its address, as a
            tuned lens does; None for nothing.

    Returns:
        What the generator makes of N states at T rows; entropies and divergences in nats.

    Raises:
        GlassformerError: `unknown_address` for a model that writes no words.
    """
    places = lens_states(trace.config, sublayers)
    final = trace["output/logits"][0]  # (T, V)
    seen = [
        _seen(trace, model, place, final, k, translate) for place in places
    ]  # V words of one state a time
    numbers = {name: np.stack([each[name] for each in seen]) for name in seen[0]}
    error = float(numbers.pop("error")[-1])
    return Lens(places, trace.target_tokens, trace.output_tokens, **numbers, error=error)


def _seen(
    trace: Trace, model: Transformer, place: LensState, final: Tensor, k: int,
    translate: Translate | None,
) -> dict[str, NDArray[np.generic]]:  # fmt: skip
    """What the generator makes of one state at T rows: the fields of `Lens`."""
    x = trace[place.state.address].to(model.generator.weight)  # (B, T, D)
    with torch.no_grad():
        x = x if translate is None else translate(place.state.address, x)
        logits = read_state(model, place, x)[0]  # (T, V)
    final = final.to(logits)  # (T, V)
    logs, final_logs = _log_probabilities(logits), _log_probabilities(final)  # (T, V)
    best = logs.topk(min(k, logs.size(-1)), dim=-1)  # (T, k)
    written = torch.tensor(trace.output_ids, device=logs.device)  # (T,)
    own = logs.gather(-1, written[:, None])  # (T, 1)
    rank = 1 + (logs > own).sum(dim=-1)  # (T,)
    divergence = (final_logs.exp() * (final_logs - logs)).sum(dim=-1)  # (T,)
    found = {
        "best": best.indices,
        "probabilities": best.values.exp(),
        "chosen": own[..., 0].exp(),
        "rank": torch.where(own[..., 0].isnan(), 0, rank),
        "divergence": divergence.clamp_min(0),
        "entropy": -(logs.exp() * logs).sum(dim=-1),
        "error": (logits - final).abs().max(),
    }
    return {
        name: exact_numbers(each) if each.is_floating_point() else as_numpy(each)
        for name, each in found.items()
    }


def _log_probabilities(logits: Tensor) -> Tensor:
    """(T, V), where the logits lie: V words of each row are not what is looked at.

    In float64 on the CPU; elsewhere in float32, as MPS has no other and as a table of V words in
    float64 may be larger than the run.
    """
    wide = torch.float64 if logits.device.type == "cpu" else torch.float32
    return logits.detach().to(wide).log_softmax(dim=-1)


def best_words(trace: Trace, seen: Lens, state: int, row: int) -> tuple[Candidate, ...]:
    """The most probable words of a state at a row, best first.

    Args:
        trace: the run that was read, whose vocabulary names the words.
        seen: what `lens` made of it.
        state: one of the N states, from 0.
        row: one of the T rows, from 0.

    Returns:
        As many words as the lens kept.

    Raises:
        GlassformerError: `out_of_range` for a state or a row that does not exist.
    """
    check_index("state", state, len(seen.states))
    check_index("row", row, len(seen.written))
    pieces = [trace.vocabulary[index] for index in seen.best[state, row]]
    return tuple(
        Candidate(trace.surfaces.get(piece, piece), piece, float(probability))
        for piece, probability in zip(pieces, seen.probabilities[state, row], strict=True)
    )


def first_settled_state(seen: Lens) -> NDArray[np.int64]:
    """The first state from which on each row's word is the most probable one.

    Args:
        seen: what `lens` made of a run.

    Returns:
        (T,) from 0; N if it is not even at the last state.
    """
    first = seen.rank == 1  # (N, T)
    kept = np.logical_and.accumulate(first[::-1], axis=0)  # from the end downwards
    return len(first) - kept.sum(axis=0)


def read_by_generator(config: ModelConfig) -> Stack:
    """The stack whose end the generator reads: the decoder, or an encoder that stands alone.

    Args:
        config: of the model.

    Returns:
        `decoder` or `encoder`.
    """
    return "decoder" if config.decoder_layers else "encoder"


def lens_states(config: ModelConfig, sublayers: bool = False) -> tuple[LensState, ...]:
    """The states that a lens reads, in computation order; the last one is the run's own.

    Args:
        config: of the model.
        sublayers: True adds the state after each sub-layer, beside the end of each layer.

    Returns:
        N states of the stack that writes.
    """
    wanted = (
        place
        for place in states(config, read_by_generator(config))
        if place.part in ("input", "feed_forward") or (sublayers and place.part != "final_norm")
    )
    return tuple(_with_norm(config, place) for place in wanted)


def _with_norm(config: ModelConfig, place: StreamState) -> LensState:
    if config.final_norm:
        return LensState(place, "final")
    if config.norm_place == "post" and place.layer is not None:
        return LensState(place, "own")
    return LensState(place, "none")


def read_state(model: Transformer, place: LensState, x: Tensor) -> Tensor:
    """What the generator scores words by, were it to read a state.

    Args:
        model: of the run.
        place: the state.
        x: the vectors there, (…, D).

    Returns:
        Logits (…, V).
    """
    stack = model.encoder if place.state.stack == "encoder" else model.decoder
    if place.norm == "final" and stack.norm is not None:
        x = stack.norm(x)  # (…, D)
    logits: Tensor = model.generator(x)  # (…, V)
    return logits

r"""The paper's formulas for one number, in float64, as a model's config makes them true.

Walkthrough and number trail work out their numbers with these, so that they cannot disagree.
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray

from glassformer.core.config import ModelConfig
from glassformer.core.model.rotary import rotary_frequencies
from glassformer.core.trace.trace import Trace

_BASE = 10000.0  # §3.5


def position_frequency(config: ModelConfig, exponent: int) -> float:
    """1 / 10000^{exponent / D}: how far the angle turns from one position to the next (§3.5).

    Args:
        config: of the model; its way of positions says what the exponent is divided by.
        exponent: of the wave, from 0; the larger, the slower it turns.

    Returns:
        Radians per position.
    """
    return float(_BASE ** (-exponent / wave_width(config)))


def wave_width(config: ModelConfig) -> int:
    """What the exponent is a share of: D, or less where the slowest wave is to have it all.

    Args:
        config: of the model.

    Returns:
        D, or D − 2 for `spread` positions; at least 1.
    """
    return max(1, config.d_model - 2 * (config.positions == "spread"))


def rotation_of_feature(
    config: ModelConfig, position: int, feature: int
) -> tuple[float, float, int]:
    """Cosine and sine that turn a feature of a head, and the other feature of its pair.

    The sine is that of the other's share: negative in the first half of the features. The angle
    is worked out in float32, as the model has it.

    Args:
        config: of a model with rotary positions.
        position: counted from 0.
        feature: within the head, 0 … K − 1.

    Returns:
        The cosine, the sine, and the feature within the head that is turned with this one.
    """
    half = config.d_k // 2
    theta = rotary_frequencies(config).float()[feature % half]
    angle = torch.tensor(float(position)) * theta  # in float32, as the model has it
    sine = float(angle.sin()) * (-1 if feature < half else 1)
    return float(angle.cos()), sine, (feature + half) % config.d_k


def is_word(config: ModelConfig, word: float, key: int, causal: bool) -> bool:
    """Whether a key is no padding; the begin token never is, whatever its id (§3.2.3).

    Args:
        config: of the model; it knows the id of padding.
        word: the id at the key's position, as a recorded number.
        key: the position of the key, counted from 0.
        causal: whether this is the decoder's self-attention, whose key 0 is the begin token.

    Returns:
        True for a word, False for padding.
    """
    return word != config.pad_id or (causal and key == 0)


def mask_fill(config: ModelConfig, dtype: torch.dtype) -> tuple[str, float]:
    """What is written over a forbidden score, as LaTeX and as a number.

    Half precision ends before −10⁹: there it is the least number.

    Args:
        config: of the model.
        dtype: of the scores.

    Returns:
        The LaTeX and the value; −∞ for every `mask_fill` other than `large_negative`.
    """
    least = torch.finfo(dtype).min
    if config.mask_fill != "large_negative":
        return r"-\infty", -math.inf
    return ("-10^9", -1e9) if least < -1e9 else (f"{least:.0f}", least)


def shifted_exponentials(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(score − maximum) of a row: the softmax is each one's share of their sum.

    Args:
        row: (n,) scores.

    Returns:
        (n,) float64; NaN everywhere where every score is −∞.
    """
    with np.errstate(invalid="ignore"):  # −∞ − (−∞), where nothing may be looked at
        raised: NDArray[np.float64] = np.exp(row - row.max())
    return raised


def quotient(above: float, below: float) -> float:
    """Above / below as the model divides: by 0 it is infinite or NaN.

    Args:
        above: the numerator.
        below: the denominator; it may be 0.

    Returns:
        The quotient in float64.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(above) / np.float64(below))


def chosen_word(trace: Trace, row: int) -> int:
    """The id of the word that a row of the decoder chose, or that it was given.

    Args:
        trace: the run that is read.
        row: the position in the decoder, counted from 0.

    Returns:
        The chosen id; where the run has no decoding steps, the id that follows in the given text.
    """
    return trace.steps[row].chosen if trace.steps else trace.output_ids[row]

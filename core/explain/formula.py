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
    """1 / 10000^{exponent / D}: how far the angle turns from one position to the next."""
    return float(_BASE ** (-exponent / wave_width(config)))


def wave_width(config: ModelConfig) -> int:
    """What the exponent is a share of: D, or less where the slowest wave is to have it all."""
    return max(1, config.d_model - 2 * (config.positions == "spread"))


def rotation_of_feature(
    config: ModelConfig, position: int, feature: int
) -> tuple[float, float, int]:
    """Cosine and sine that turn a feature of a head, and the other feature of its pair.

    The sine is that of the other's share: negative in the first half of the features.
    """
    half = config.d_k // 2
    theta = rotary_frequencies(config).float()[feature % half]
    angle = torch.tensor(float(position)) * theta  # in float32, as the model has it
    sine = float(angle.sin()) * (-1 if feature < half else 1)
    return float(angle.cos()), sine, (feature + half) % config.d_k


def is_word(config: ModelConfig, word: float, key: int, causal: bool) -> bool:
    """Whether a key is no padding; the begin token never is, whatever its id (§3.2.3)."""
    return word != config.pad_id or (causal and key == 0)


def mask_fill(config: ModelConfig, dtype: torch.dtype) -> tuple[str, float]:
    """What is written over a forbidden score, as LaTeX and as a number.

    Half precision ends before −10⁹: there it is the least number.
    """
    least = torch.finfo(dtype).min
    if config.mask_fill != "large_negative":
        return r"-\infty", -math.inf
    return ("-10^9", -1e9) if least < -1e9 else (f"{least:.0f}", least)


def shifted_exponentials(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(score − maximum) of a row, (n,): the softmax is each one's share of their sum."""
    with np.errstate(invalid="ignore"):  # −∞ − (−∞), where nothing may be looked at
        raised: NDArray[np.float64] = np.exp(row - row.max())
    return raised


def quotient(above: float, below: float) -> float:
    """Above / below as the model divides: by 0 it is infinite or NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(above) / np.float64(below))


def chosen_word(trace: Trace, row: int) -> int:
    """The id of the word that a row of the decoder chose, or that it was given."""
    return trace.steps[row].chosen if trace.steps else trace.output_ids[row]

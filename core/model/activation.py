"""§3.3 The activation functions: all that the code says of each, in one place.

The model runs `compute`; the explanations work one number out with `gate` and print the LaTeX.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from glassformer.core.config import Activation


def relu(x: Tensor) -> Tensor:
    """max(0, x), as in the paper (equation 2)."""
    return functional.relu(x)


def gelu(x: Tensor) -> Tensor:
    """The share Φ(x) of x, Φ the normal distribution's (Hendrycks & Gimpel 2016)."""
    return functional.gelu(x)


def gelu_tanh(x: Tensor) -> Tensor:
    """GELU with Φ approximated by tanh, as GPT-2 has it."""
    return functional.gelu(x, approximate="tanh")


def silu(x: Tensor) -> Tensor:
    """The share 1 / (1 + e^(−x)) of x, as Marian and Llama have it (Elfwing et al. 2017)."""
    return functional.silu(x)


@dataclass(frozen=True)
class ActivationFunction:
    """One non-linearity: x times the share of it that is let through.

    compute: of a tensor of any shape. gate: the share, of one number in float64. The rest is LaTeX.
    """

    compute: Callable[[Tensor], Tensor]
    gate: Callable[[float], float]
    written: str  # the function, `·` where its argument stands
    share: str  # the gate of a unit u_{t,i}
    unfolded: str = ""  # the unit times its gate, where `written` does not say what it is

    def of(self, argument: str) -> str:
        """The function of an argument, as LaTeX."""
        return self.written.replace("·", argument)


ACTIVATIONS: Mapping[Activation, ActivationFunction] = {
    "relu": ActivationFunction(
        relu, lambda x: x if math.isnan(x) else float(x > 0),
        written=r"\max(0, ·)", share=r"[u_{t,i} > 0]",
    ),
    "gelu": ActivationFunction(
        gelu, lambda x: (1 + math.erf(x / math.sqrt(2))) / 2,
        written=r"\mathrm{GELU}(·)", share=r"\Phi(u_{t,i})", unfolded=r"u_{t,i}\,\Phi(u_{t,i})",
    ),
    "gelu_tanh": ActivationFunction(
        gelu_tanh,
        lambda x: (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
        written=r"\mathrm{GELU}_{\tanh}(·)", share=r"\frac{1}{2}(1 + \tanh z_{t,i})",
        unfolded=r"\frac{u_{t,i}}{2} (1 + \tanh z_{t,i}),\ "
        r"z_{t,i} = \sqrt{2 / \pi}\,(u_{t,i} + 0.044715\,u_{t,i}^3)",
    ),
    "silu": ActivationFunction(
        silu, lambda x: (1 + math.tanh(x / 2)) / 2,  # which cannot overflow
        written=r"\mathrm{SiLU}(·)", share=r"\frac{1}{1 + e^{-u_{t,i}}}",
        unfolded=r"\frac{u_{t,i}}{1 + e^{-u_{t,i}}}",
    ),
}  # fmt: skip

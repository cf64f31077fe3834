"""How a number that a run leads to would change with each recorded tensor: ∂ score / ∂ tensor.

A run with `grad=True` keeps its graph. One pass back through it gives the gradients at every
address, for 1.2 to 1.6 times what the run itself cost; the model's weights have no part in it.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.trace.tape import nearest_addresses

Tensors = Mapping[str, Tensor]
Join = Callable[[Sequence[Tensors]], Tensors]


class Gradients(Mapping[str, Tensor]):
    """∂ score / ∂ what stands at an address, in the shape of the tensor there; read-only.

    They are computed when the first is looked at. Each says what a small change of the tensor at
    that place alone would do, all that comes later computed again: the stream and what a sub-layer
    reads of it are two addresses. What stands after an edit is differentiated as it was edited.
    What is not read on the way to the score has zeros; ids and masks have no gradient. A gradient
    is a slope: it does not say what a large change would do.

    parts: the tensors of each pass that was made, by address; join: what makes one mapping of them.
    """

    def __init__(self, scores: Tensor, parts: Sequence[Tensors], join: Join | None = None) -> None:
        self.scores = scores.detach()  # (B,)
        self._total = scores.sum()  # each text's score depends on its own rows alone
        self._parts, self._join = parts, join
        self._names = tuple(name for name, each in parts[0].items() if each.requires_grad)
        self._lock = threading.Lock()
        self._known: Tensors | None = None

    def __getitem__(self, address: str) -> Tensor:
        if address in self._names:
            return self._found()[address]
        if address in self._parts[0]:
            raise GlassformerError("gradient_of_marks", address=address)
        near = nearest_addresses(address, self._names)
        raise GlassformerError("unknown_address", address=address, nearest=near)

    def __contains__(self, address: object) -> bool:
        return address in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<gradients at {len(self)} addresses>"

    def _found(self) -> Tensors:
        with self._lock:
            if self._known is None:
                self._known = self._computed()
            return self._known

    def _computed(self) -> Tensors:
        places = [(part, name) for part in self._parts for name in self._names]
        found = torch.autograd.grad(
            self._total, [part[name] for part, name in places], retain_graph=True,
            allow_unused=True, materialize_grads=True,
        )  # fmt: skip
        size = len(self._names)
        parts = [
            dict(zip(self._names, found[start : start + size], strict=True))
            for start in range(0, len(found), size)
        ]
        return parts[0] if self._join is None else self._join(parts)


class GradientsOfText(Mapping[str, Tensor]):
    """The gradients of one text of a batch, without its padding; read-only, and as lazy.

    cut: what makes a text's part of a tensor of the batch, given its address.
    """

    def __init__(
        self, gradients: Gradients, index: int, cut: Callable[[str, Tensor], Tensor]
    ) -> None:
        self.scores = gradients.scores[index : index + 1]  # (1,)
        self._whole, self._cut = gradients, cut

    def __getitem__(self, address: str) -> Tensor:
        return self._cut(address, self._whole[address])

    def __contains__(self, address: object) -> bool:
        return address in self._whole

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)

    def __repr__(self) -> str:
        return repr(self._whole)

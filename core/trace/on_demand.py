"""Tensors that a run leaves out to save memory: computed again when asked for, bit for bit.

Attention maps grow with the square of a text; they come of q, k and mask. What scores the words
grows with the vocabulary; it comes of the last vectors and the generator, and the probabilities of
the logits. The same operations on the same tensors give the same bits.
"""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache

from torch import Tensor
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.model.attention import attention_maps
from glassformer.core.model.generator import Generator
from glassformer.core.model.grouped import for_each_query
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses, inputs, records
from glassformer.core.trace.sites import site_at, sites_of
from glassformer.core.trace.tape import Edit, Recorder

LOGITS, PROBABILITIES = "output/logits", "output/probabilities"
MOST_BYTES = 128 * 2**20  # of what was computed again last, of all runs together

Tensors = Mapping[str, Tensor]


def recomputable(
    config: ModelConfig, tensors: Container[str], generator: Generator | None
) -> frozenset[str]:
    """The addresses of a run that can be computed again from what it holds.

    Args:
        config: of the model.
        tensors: the addresses that the run holds.
        generator: of its model; None where there is none, as for a run from a file.

    Returns:
        Attention maps whose q, k and mask were kept; logits where there is a generator and what it
        reads was kept; probabilities where there are logits.
    """
    found = {
        address
        for address in addresses(config)
        if site_at(address).per_map
        and all(each in tensors for each in _map_inputs(config, address))
    }
    if config.has_generator and generator is not None and inputs(config, LOGITS)[0] in tensors:
        found.add(LOGITS)
    if LOGITS in found or LOGITS in tensors:
        found.add(PROBABILITIES)
    return frozenset(found)


@lru_cache(maxsize=4096)
def _map_inputs(config: ModelConfig, address: str) -> tuple[str, ...]:
    """What an attention map is computed again from: q, k, the mask, and what distances add."""
    at = Address.of(address)
    names = ["mask"]
    if records(config, "attention", "position_bias", at.is_cross):
        names.append("position_bias")
    return (*inputs(config, at.sibling("scores")), *map(at.sibling, names))


def logits_of(config: ModelConfig, tensors: Tensors, generator: Generator) -> Tensor:
    """The logits of a run that may have left them out.

    Args:
        config: of the model.
        tensors: what the run holds, by address.
        generator: of its model.

    Returns:
        (B, T, V) logits.
    """
    return (
        tensors[LOGITS] if LOGITS in tensors else compute_tensor(config, tensors, generator, LOGITS)
    )


def compute_tensor(
    config: ModelConfig, tensors: Tensors, generator: Generator | None, address: str
) -> Tensor:
    """A tensor that is `recomputable`; for a while it is kept, for pages ask again and again.

    Args:
        config: of the model.
        tensors: what the run holds, by address.
        generator: of its model; None will do for an attention map, and for probabilities where the
            logits are there.
        address: of an attention map, the logits or the probabilities.

    Returns:
        The same bits as in the run: a map (B, H, T, S), logits or probabilities (B, T, V).
    """
    if address == PROBABILITIES and LOGITS in tensors:
        return _RECENT.get(address, (tensors[LOGITS],), lambda: tensors[LOGITS].softmax(dim=-1))
    if address in (LOGITS, PROBABILITIES):
        assert generator is not None
        x, weight, bias = tensors[inputs(config, LOGITS)[0]], generator.weight, generator.bias
        logits = _RECENT.get(LOGITS, (x, weight), lambda: functional.linear(x, weight, bias))
        if address == LOGITS:
            return logits
        return _RECENT.get(address, (x, weight), lambda: logits.softmax(dim=-1))
    return _map(config, tensors, Address.of(address))


def _map(config: ModelConfig, tensors: Tensors, at: Address) -> Tensor:
    """The whole layer by the same operations."""
    q, k = (tensors[each] for each in inputs(config, at.sibling("scores")))
    mask, bias = (tensors.get(at.sibling(each)) for each in ("mask", "position_bias"))
    assert mask is not None

    def layer() -> Tensor:
        tape = Recorder(keep=lambda name: name == at.name)
        attention_maps(
            q, for_each_query(k, q), mask, config.mask_fill, tape, bias, config.score_scale
        )
        return tape.tensors[at.name]

    known = [each for each in (q, k, mask, bias) if each is not None]
    return _RECENT.get(f"{at.name}/{config.mask_fill}/{config.score_scale}", known, layer)


def kept_without(edits: Sequence[Edit], maps: bool = False) -> Callable[[str], bool]:
    """What a run keeps that leaves out what scores the words, and without `maps` these as well.

    Beside what an edit reaches: that cannot be computed again from what was before.

    Args:
        edits: of the run.
        maps: True keeps the attention maps.

    Returns:
        A function for `Recorder`: of an address, whether it is kept.
    """

    def keep(address: str) -> bool:
        site, at = site_at(address), Address.of(address)
        if not site.is_left_out or (site.per_map and maps):
            return True
        names = [each.name for each in sites_of(site.group) if each.is_left_out]
        return any(edit.matches(at.sibling(name)) for edit in edits for name in names)

    return keep


class _Recent:
    """Results by what they were computed from; the oldest go when there are too many."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._held = OrderedDict[tuple[str, ...], tuple[list[weakref.ref[Tensor]], Tensor]]()

    def get(self, name: str, given: Sequence[Tensor], compute: Callable[[], Tensor]) -> Tensor:
        """A result, computed unless it is known; the tensors of `given` are told by identity."""
        key = (name, *(str(id(each)) for each in given))
        with self._lock:
            refs, found = self._held.get(key, ([], None))
            if found is not None and all(
                ref() is each for ref, each in zip(refs, given, strict=True)
            ):
                self._held.move_to_end(key)
                return found
        found = compute()
        with self._lock:
            self._held[key] = ([weakref.ref(each) for each in given], found)
            self._held.move_to_end(key)
            while sum(each.nbytes for _, each in self._held.values()) > self._most:
                self._held.popitem(last=False)
        return found


_RECENT = _Recent(MOST_BYTES)

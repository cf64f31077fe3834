"""Which tensors a tool is asked about, where their words are, and what a metric must have kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.tensors import addresses_matching
from glassformer.core.model.device import to_float64
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.graph import Stack, layer_count, layer_end
from glassformer.core.trace.hook_names import addresses_of_hook
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import site_at

Metric = Callable[[Batch], Tensor]
# The residual stream as it enters each layer, whole: what goes around and what goes through.
STREAMS: Mapping[str, tuple[Stack, ...]] = {
    "stream": ("encoder", "decoder"), "encoder/stream": ("encoder",), "decoder/stream": ("decoder",)
}  # fmt: skip
WITHOUT_NUMBERS = ("ids", "mask", "kept")
ROWS = "ST"  # the letters of axes along which words stand


def sites_named(site: str, config: ModelConfig) -> tuple[str, ...]:
    """The addresses that a tool's `site` means.

    Args:
        site: `stream` for the residual stream as it enters each layer (`encoder/stream` of one
            stack); a name such as `context` for it everywhere; an address or a pattern with "*"; a
            hook's name of TransformerLens.
        config: of the model.

    Returns:
        Addresses in computation order.

    Raises:
        GlassformerError: `unknown_address` or `unknown_hook`, with the nearest; `site_numbers` for
            what holds no numbers, `site_shared` for what all texts of a batch share.
    """
    if site in STREAMS:
        return tuple(layer_end(config, each, at - 1) for each, at in _entered(site, config))
    pattern = site if "/" in site or "hook_" in site else f"*/{site}"
    spliced, below = _below(pattern)
    found = tuple(
        f"{address}{below}"
        for each in addresses_of_hook(spliced, config)
        for address in addresses_matching(each, config)
    )
    for address in found:
        if Address.of(address).last in WITHOUT_NUMBERS:
            raise GlassformerError("site_numbers", address=address)
        if site_at(address).axes[0] != "batch" or Address.of(address).last == "position_bias":
            raise GlassformerError("site_shared", address=address)
    return found


def names_of_sites(site: str, addresses: Sequence[str], config: ModelConfig) -> list[str | int]:
    """What addresses are called along an axis: by their layers where these tell them apart.

    Args:
        site: what the tool was asked about.
        addresses: what `sites_named` made of it.
        config: of the model.

    Returns:
        Numbers of layers from 0; of several stacks or kinds of sub-layers "encoder/0" and the like,
        the address where that is not enough.
    """
    if site in STREAMS:
        entered = list(_entered(site, config))
        one = len({stack for stack, _ in entered}) == 1
        return [at if one else f"{stack}/{at}" for stack, at in entered]
    found = [Address.of(each) for each in addresses]
    if len({(at.stack, at.part, at.name) for at in found}) == 1 and found[0].layer is not None:
        return [at.layer for at in found if at.layer is not None]
    places = [at.place for at in found]
    return [*(places if len(set(places)) == len(places) else addresses)]


def stack_sides(address: str) -> dict[str, str]:
    """Whose words stand along the axes of a tensor: "source" or "target" by axis name.

    Args:
        address: of a tensor.

    Returns:
        The axes along which words stand: position, or query and key.
    """
    axes = zip(site_at(address).axes, shape_letters(address), strict=True)
    return {name: _SIDES[letter] for name, letter in axes if letter in ROWS}


def word_vectors(batch: Batch, address: str) -> tuple[Tensor, Tensor]:
    """A tensor as one vector a word, heads side by side, and which of them are of words.

    Args:
        batch: the texts.
        address: of a tensor with one axis of words.

    Returns:
        (B, n, D) and bool (B, n), n the positions of its side.

    Raises:
        GlassformerError: `site_per_word` for a map, which has two such axes.
    """
    sides = stack_sides(address)
    if len(sides) != 1:
        raise GlassformerError("site_per_word", address=address)
    values = batch[address]
    if values.dim() == 4:
        values = values.transpose(1, 2).flatten(-2)  # (B, n, H · K)
    [side] = sides.values()
    return values, batch.source_mask if side == "source" else batch.target_mask


def addresses_read(metric: Metric, batch: Batch) -> tuple[str, ...]:
    """The addresses that a metric reads, so that further runs keep no others.

    Args:
        metric: it is called once, unless it says what it `reads`.
        batch: of one text at least, everything kept.

    Returns:
        Addresses, one at least: the logits where the metric reads nothing.

    Raises:
        GlassformerError: `metric_shape` for a metric that does not give a number a text.
    """
    told: tuple[str, ...] | None = getattr(metric, "reads", None)
    if told is not None:
        return told
    noted = _Noted(batch.tensors)
    measure_metric(metric, replace(batch, tensors=noted))
    return tuple(noted.asked) or ("output/logits",)


def measure_metric(metric: Metric, batch: Batch) -> Tensor:
    """What a metric says of each text.

    Args:
        metric: a function of the batch.
        batch: the texts.

    Returns:
        (B,) in float64, on the CPU.

    Raises:
        GlassformerError: `metric_shape` for anything but one number a text.
    """
    found = metric(batch)
    if not isinstance(found, Tensor) or found.shape != (len(batch),):
        given = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise GlassformerError("metric_shape", given=given, needed=f"({len(batch)},)")
    return to_float64(found)


def name_of(metric: Metric) -> str:
    """What a metric is called in tables.

    Args:
        metric: a function of the batch.

    Returns:
        What it says of itself where it is one of ours, else the function's name.
    """
    return str(metric) if hasattr(metric, "reads") else getattr(metric, "__name__", "metric")


def in_list(texts: GivenText | Sequence[GivenText]) -> list[GivenText]:
    """One text, or several, as a list.

    Args:
        texts: a text, the ids of one, or a list of either.

    Returns:
        The texts.

    Raises:
        GlassformerError: `run_nothing` for an empty list.
    """
    one = isinstance(texts, str) or (len(texts) > 0 and isinstance(texts[0], int))
    found: list[GivenText] = [texts] if one else list(texts)  # type: ignore[list-item, arg-type]
    if not found:
        raise GlassformerError("run_nothing")
    return found


class _Noted(Mapping[str, Tensor]):
    """The tensors of a run, and which of them are asked for."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors, self.asked = tensors, dict[str, None]()

    def __getitem__(self, address: str) -> Tensor:
        self.asked[address] = None
        return self._tensors[address]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __contains__(self, address: object) -> bool:
        return address in self._tensors


_SIDES = {"S": "source", "T": "target"}


def _entered(site: str, config: ModelConfig) -> Iterator[tuple[Stack, int]]:
    """The layers that the residual stream enters."""
    for stack in STREAMS[site]:
        yield from ((stack, layer) for layer in range(layer_count(config, stack)))


def _below(pattern: str) -> tuple[str, str]:
    """A pattern and what it names below an address: the features of a sparse autoencoder."""
    for name in ("/features", "/error"):
        if pattern.endswith(name):
            return pattern.removesuffix(name), name
    return pattern, ""

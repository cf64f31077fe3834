"""What a run over several texts takes of the memory, before it is spent."""

import math
from functools import lru_cache

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.shapes import shape_of_address
from glassformer.core.trace.sites import site_at

AT_ONCE = 6  # of the largest tensors that are not kept, so many are there at a time

# What autograd holds for the way back (weights are frozen, so sums and products with them need
# nothing). Of these copies, laid out for a product or with the mean taken off, kept or not:
CENTRED = "normalized"
PRODUCTS = ("q", "k", "v")  # of one text they are read as they lie, but where heads share keys
MASKED = "masked"  # of it where it was filled, in one byte a number
# And these themselves, which cost nothing more where they are kept:
READ = ("weights", "pre_activation", "dense")
READ_GATED = ("activation", "up")  # both factors
WITHOUT_GRADIENT = ("ids", "mask")
WITHOUT_DECODER = ("source", "encoder", "")  # the stacks of addresses


@lru_cache(maxsize=256)
def bytes_of_graph(
    config: ModelConfig, kept: frozenset[str], lengths: tuple[int, int], texts: int, size: int,
    width: int, decodes: bool = True,
) -> int:  # fmt: skip
    """Bytes that autograd holds beside what is kept, as long as a run with `grad=True` is there.

    The graph begins at the first address that is kept: what comes before needs no gradient. It is
    held of all texts, however few of them run at once.

    Args:
        config: of the model.
        kept: the addresses that stay.
        lengths: S and T of the longest text.
        texts: all of them.
        size: texts of one pass.
        width: bytes of a number: 4 of float32.
        decodes: False where the encoder of two stacks runs alone.

    Returns:
        The bytes: 0.7 to 1.5 of those that are measured (tests/weights/test_run.py).
    """
    held, has_begun = 0, False
    for address in addresses(config):
        at = Address.of(address)
        if not decodes and at.stack not in WITHOUT_DECODER:
            continue
        has_begun = has_begun or (address in kept and at.last not in WITHOUT_GRADIENT)
        if has_begun:
            numbers = math.prod(shape_of_address(config, address, *lengths, texts))
            held += _width_held(config, at, address in kept, width, size > 1) * numbers
    return held


def _width_held(
    config: ModelConfig, at: Address, is_kept: bool, width: int, is_copied: bool
) -> int:
    """How many bytes of the graph one number of an address stands for."""
    if at.name == MASKED:
        return 1
    if at.name == CENTRED and config.norm_kind != "rms":
        return width
    own = config.of(at.text)
    readers = 1 if at.name == "q" else own.n_heads // own.key_heads  # a copy for each head
    if at.name in PRODUCTS and (is_copied or readers > 1):
        return width * readers
    is_read = at.name in (*READ, *PRODUCTS, CENTRED, *(READ_GATED if config.gated else ()))
    return width if is_read and not is_kept else 0


@lru_cache(maxsize=256)
def bytes_of_run(
    config: ModelConfig, kept: frozenset[str], lengths: tuple[int, int], texts: int, size: int,
    width: int, copies: int = 1,
) -> int:  # fmt: skip
    """Bytes that a run takes at its most, the weights aside.

    Args:
        config: of the model.
        kept: the addresses that stay.
        lengths: S and T of the longest text.
        texts: all of them.
        size: texts of one pass.
        width: bytes of a number: 4 of float32.
        copies: how often what is kept is there: twice where the tensors of several passes are
            joined and stay for the graph.

    Returns:
        What is kept of all texts, and the largest that one pass has beside it.
    """
    stays, largest = 0, 0
    for address in addresses(config):
        site = site_at(address)
        if site.is_view:
            continue
        numbers = math.prod(shape_of_address(config, address, *lengths, 1))
        stays += numbers * texts * (address in kept)
        largest = max(largest, numbers * size)
    return width * (copies * stays + AT_ONCE * largest)

"""The shapes of what is recorded: in the paper's letters, in numbers, in bytes."""

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from glassformer.core.config import ModelConfig
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import site_at

KEYS_AND_VALUES = ("k", "k_normed", "k_rotated", "v")


def shape_letters(address: str, config: ModelConfig | None = None) -> tuple[str, ...]:
    """The shape of an address in the paper's letters, such as ("B", "H", "T", "S").

    With a config G stands for heads of keys that are fewer than H, HK for heads side by side that
    are not D wide.

    Args:
        address: of a tensor.
        config: of the model; None for the letters of the paper's.

    Returns:
        One letter for each axis; "1" for an axis of one number.

    Raises:
        KeyError: no run can have the address.
    """
    at = Address.of(address)
    own, keys = at.side[0].upper(), at.key_side[0].upper()
    by_name = {
        "batch": "B", "head": "H", "position": own, "query": own, "key": keys, "feature": "D",
        "head_feature": "K", "hidden": "F", "vocabulary": "V", "one": "1",
    }  # fmt: skip
    if config is not None and at.group == "attention":
        config = config.of(address)
        if config.key_heads != config.n_heads and at.name in KEYS_AND_VALUES:
            by_name["head"] = "G"
        if config.inner_width != config.d_model and at.name == "concat":
            by_name["feature"] = "HK"
    return tuple(by_name[axis] for axis in site_at(address).axes)


def letter_sizes(config: ModelConfig, source: int, target: int, batch: int = 1) -> dict[str, int]:
    """What each letter of a shape stands for in a run of these lengths.

    Args:
        config: of the model, or of one stack of it (`config.of`).
        source: S, positions of the encoder's input.
        target: T, positions of the decoder's input.
        batch: B, sequences.

    Returns:
        The size by its letter: B, H, S, T, D, K, F, V, 1, G and HK.
    """
    return {
        "B": batch, "H": config.n_heads, "S": source, "T": target, "D": config.d_model,
        "K": config.d_k, "F": config.d_ff, "V": config.vocabulary_size, "1": 1,
        "G": config.key_heads, "HK": config.inner_width,
    }  # fmt: skip


def shape_of_address(
    config: ModelConfig, address: str, source: int, target: int, batch: int = 1
) -> tuple[int, ...]:
    """The shape of what a run of these lengths records at an address.

    Args:
        config: of the model.
        address: of a tensor.
        source: S, positions of the encoder's input.
        target: T, positions of the decoder's input.
        batch: B, sequences.

    Returns:
        One size for each axis.

    Raises:
        KeyError: no run can have the address.
    """
    size = letter_sizes(config.of(address), source, target, batch)
    return tuple(size[letter] for letter in shape_letters(address, config))


def recorded_bytes(
    config: ModelConfig, source: int, target: int, batch: int = 1, maps: bool = True,
    words: bool = True,
) -> int:  # fmt: skip
    """Bytes that a float32 recording of S source and T target tokens takes, before they are spent.

    Args:
        config: of the model.
        source: S, positions of the encoder's input.
        target: T, positions of the decoder's input.
        batch: B, sequences.
        maps: False leaves out what is recomputed from q, k and mask (scores … weights).
        words: False leaves out what is recomputed from the last vectors (logits, probabilities).

    Returns:
        Bytes; tensors that share memory with an earlier one count nothing, dropout masks neither.
    """
    total = 0
    for (stack, letters, number), count in _recorded_shapes(config, maps, words).items():
        size = letter_sizes(stack, source, target, batch)
        total += count * number * math.prod(size[letter] for letter in letters)
    return total


@lru_cache(maxsize=64)  # each run asks first
def _recorded_shapes(
    config: ModelConfig, maps: bool, words: bool
) -> Mapping[tuple[ModelConfig, tuple[str, ...], int], int]:
    """How often what is recorded has a shape in letters, by stack, with the bytes of a number."""
    found = Counter[tuple[ModelConfig, tuple[str, ...], int]]()
    for address in addresses(config):
        site = site_at(address)
        shared = site.is_view and not address.endswith("/0/self_attention/position_bias")
        if shared or (site.per_map and not maps) or (site.per_word and not words):
            continue  # distances: once a stack
        letters, number = shape_letters(address, config), 8 if site.name == "ids" else 4
        found[config.of(address), letters, number] += 1
    return found

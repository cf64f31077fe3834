"""TransformerLens' names of hooks as names of our addresses: `blocks.0.attn.hook_pattern`.

The values are those that the address records; axes stay ours: queries, keys, values and what heads
read are (B, H, T, K) here and (B, T, H, K) there. A hook whose values nothing here records
(`hook_result`, `hook_scale`) is refused. Behind a name may stand a "/" and what is recorded below
it, as the features of a sparse autoencoder are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.graph import Stack, layer_count, layer_end, sublayers
from glassformer.core.trace.tape import Edit, nearest_addresses

ATTENTION = {
    "hook_q": "q", "hook_k": "k", "hook_v": "v", "hook_rot_q": "q_rotated",
    "hook_rot_k": "k_rotated", "hook_attn_scores": "masked", "hook_pattern": "weights",
    "hook_z": "context",
}  # fmt: skip
IN_LAYER = {
    **{f"attn.{hook}": f"self_attention/{name}" for hook, name in ATTENTION.items()},
    **{f"cross_attn.{hook}": f"cross_attention/{name}" for hook, name in ATTENTION.items()},
    "hook_attn_out": "self_attention/output",
    "hook_cross_attn_out": "cross_attention/output",
    "hook_mlp_out": "feed_forward/output",
    "mlp.hook_pre": "feed_forward/pre_activation",
    "mlp.hook_pre_linear": "feed_forward/up",
    "hook_resid_mid": "self_attention_residual/summed",
    "hook_resid_mid_cross": "cross_attention_residual/summed",
    "hook_resid_post": "feed_forward_residual/summed",
    "hook_normalized_resid_post": "feed_forward_norm/output",
}
RESIDUAL_PRE, MLP_POST, NORMED = "hook_resid_pre", "mlp.hook_post", "ln{}.hook_normalized"
IN_FRONT = {"hook_embed": "scaled", "hook_pos_embed": "positions"}
BLOCK = re.compile(r"(blocks|encoder|decoder)\.(\d{1,4}|\*)\.(.+)", re.ASCII)


def addresses_of_hook(name: str, config: ModelConfig) -> tuple[str, ...]:
    """The addresses that a name means.

    Args:
        name: an address or a pattern with "*", which stays as it is, or a hook's name; "*" may
            stand for its layer.
        config: of the model: `blocks` are the layers of a model of one stack, `encoder` and
            `decoder` those of a model of two.

    Returns:
        One address or pattern at least, in computation order; more where a hook's layer is "*".

    Raises:
        GlassformerError: `unknown_hook` for a hook that this model has not, with the nearest.
    """
    hook, slash, below = name.partition("/")
    if "hook_" not in hook:
        return (name,)
    known = _known(config)
    match = BLOCK.fullmatch(hook)
    if match and match[2] == "*":
        pattern = re.compile(rf"{match[1]}\.\d+\.{re.escape(match[3])}", re.ASCII)
        found = tuple(address for each, address in known.items() if pattern.fullmatch(each))
    else:
        found = tuple(address for each, address in known.items() if each == hook)
    if not found:
        raise GlassformerError("unknown_hook", given=hook, nearest=nearest_addresses(hook, known))
    return tuple(f"{address}{slash}{below}" for address in found)


def address_of_hook(name: str, config: ModelConfig) -> str:
    """The one address that a name without "*" means.

    Args:
        name: an address, which stays as it is, or a hook's name.
        config: of the model.

    Returns:
        The address.

    Raises:
        GlassformerError: `unknown_hook`.
    """
    return addresses_of_hook(name, config)[0] if "hook_" in name else name


def edits_at_addresses(edits: Iterable[Edit], config: ModelConfig) -> tuple[Edit, ...]:
    """Edits with addresses in place of hooks' names.

    Args:
        edits: as somebody gave them.
        config: of the model.

    Returns:
        One edit an address that a name means; those without a hook's name as they are.

    Raises:
        GlassformerError: `unknown_hook`.
    """
    return tuple(
        edit if edit.address == address else replace(edit, address=address)
        for edit in edits
        for address in addresses_of_hook(edit.address, config)
    )


@lru_cache(maxsize=8)
def _known(config: ModelConfig) -> Mapping[str, str]:
    return dict(_hooks(config))


def _hooks(config: ModelConfig) -> Iterator[tuple[str, str]]:
    """Every hook of a model and its address."""
    stacks: tuple[Stack, ...] = ("encoder", "decoder")
    for stack in (each for each in stacks if layer_count(config, each)):
        block = stack if config.has_both else "blocks"
        if not config.has_both:
            side = "source" if stack == "encoder" else "target"
            yield from ((hook, f"{side}/{name}") for hook, name in IN_FRONT.items())
        for layer in range(layer_count(config, stack)):
            yield from (
                (f"{block}.{layer}.{hook}", address)
                for hook, address in _in_layer(config, stack, layer)
            )
        if config.final_norm:
            final = f"{stack}_final_ln" if config.has_both else "ln_final"
            yield f"{final}.hook_normalized", f"{stack}/norm/output"


def _in_layer(config: ModelConfig, stack: Stack, layer: int) -> Iterator[tuple[str, str]]:
    names, here = sublayers(config, stack), f"{stack}/{layer}"
    units = "gated" if config.gated else "activation"
    yield RESIDUAL_PRE, layer_end(config, stack, layer - 1)
    for hook, path in IN_LAYER.items():
        part = path.partition("/")[0].removesuffix("_residual").removesuffix("_norm")
        if part in names and _is_there(config, hook):
            yield hook, f"{here}/{path}"
    yield MLP_POST, f"{here}/feed_forward/{units}"
    for number, name in enumerate(names, 1):
        yield NORMED.format(number), f"{here}/{name}_norm/output"


def _is_there(config: ModelConfig, hook: str) -> bool:
    """Whether this model records what a hook shows."""
    if "_rot_" in hook:
        return config.positions == "rotary" and not hook.startswith("cross")
    if hook == "mlp.hook_pre_linear":
        return config.gated
    return hook != "hook_normalized_resid_post" or config.norm_place == "post"

"""A block's formula: the equations of what it records, each in the colour of its role."""

from __future__ import annotations

from app.figures.theme import Look
from core.config import ModelConfig
from core.reading.blocks import Block
from core.reading.equations import equation
from core.trace.sites import site_at

FEW = 4  # lines that fit the panel in full size
STRUT = r"\rule[-1.1em]{0em}{0em}"  # keeps a fraction off the next line
_ATTENTION = ("q", "k", "v", "scaled", "masked", "weights", "output")
_PARTS = {
    "self_attention": _ATTENTION,
    "cross_attention": _ATTENTION,
    "feed_forward": ("activation", "output"),
    "embedding": ("embedding", "scaled"),
    "positions": ("positions", "input"),
    "norm": ("mean", "std", "normalized", "output"),
    "final_norm": ("mean", "std", "normalized", "output"),
}


def formula(config: ModelConfig, block: Block, look: Look) -> str:
    """The equations below each other as one piece of LaTeX, "" for a block without its own."""
    lines = [line for address in formula_addresses(block) for line in _lines(config, address, look)]
    few = len(lines) <= FEW
    gap, size = (r" \\[6pt] ", r"\normalsize") if few else (r" \\ ", r"\footnotesize")
    rows = gap.join(line + (STRUT if r"\frac" in line and not few else "") for line in lines)
    return rf"{size}\begin{{array}}{{l}} {rows} \end{{array}}" if lines else ""


def _has_mask(address: str) -> bool:
    """Whether the attention hides more than padding, of which one sentence has none."""
    return address.startswith("decoder") and "self_attention" in address


def formula_addresses(block: Block) -> list[str]:
    """The addresses whose equations make the formula of a block."""
    where = block.id.rpartition("/")[0] if block.kind in ("embedding", "positions") else block.id
    if block.kind in _PARTS:
        left_out = () if _has_mask(block.id) else ("masked",)
        return [f"{where}/{name}" for name in _PARTS[block.kind] if name not in left_out]
    if block.kind == "add_norm":
        summed = f"{block.id.removesuffix('_norm')}_residual/summed"
        return [summed, f"{block.id}/normalized", f"{block.id}/output"]
    return [] if block.kind == "layer" else [block.after]


def _lines(config: ModelConfig, address: str, look: Look) -> list[str]:
    """The equation of an address; two equations on one line are set below each other."""
    tex, site = equation(config, address), site_at(address)
    if site.name == "scaled" and site.group == "attention":
        tex = tex.replace("{S}", r"{Q K^\top}")  # the scores have no line of their own here
    elif site.name == "weights" and not _has_mask(address):
        tex = tex.replace(r"\tilde{S}", "S'")
    elif site.name == "output" and site.group not in ("norm", "attention"):  # too wide there
        tex = f"{site.symbol} = {tex}"
    hue = look.colour(site.role)
    return [rf"\textcolor{{{hue}}}{{{part}}}" for part in tex.split(r",\ ")]

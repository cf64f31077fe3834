"""The panel of a block of the map: what goes in, what happens, what comes out, in numbers."""

import html
from collections.abc import Sequence

import streamlit as st

from glassformer.app.pages.translate.block.numbers import block_facts, labels_of, pictures, place_of
from glassformer.app.pages.translate.figures import Picture, block_pictures
from glassformer.app.pages.translate.map.scene import title_of, variant
from glassformer.app.panels import provenance
from glassformer.app.panels.context import walk_button
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say
from glassformer.core.analysis.blocks import Block
from glassformer.core.config import ModelConfig
from glassformer.core.explain.equations import equation
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import records
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace

FIGURE = 340  # pixels that the pictures are laid out for; they take what the panel has left
ATTENTION_PAGE = "app/pages/attention/page.py"
FEW = 4  # lines that fit the panel in full size
STRUT = r"\rule[-1.1em]{0em}{0em}"  # keeps a fraction off the next line
_ATTENTION = (
    "q", "k", "v", "q_normed", "k_normed", "q_rotated", "scaled", "biased", "masked",
    "weights", "output",
)  # fmt: skip
_NORM = ("mean", "std", "mean_square", "normalized", "output")
_PARTS = {
    "self_attention": _ATTENTION,
    "cross_attention": _ATTENTION,
    "feed_forward": ("activation", "up", "gated", "output"),
    "embedding": ("embedding", "scaled"),
    "positions": ("positions", "input"),
    "token_type": ("token_type", "input"),
    "norm": _NORM,
    "final_norm": _NORM,
    "embedding_norm": _NORM,
}


def block_panel(trace: Trace, block: Block) -> None:
    """Draw the panel of a block.

    It is as high as its column: the pictures take what the text leaves. The button of an
    attention block opens its heads on the Attention page.
    """
    with box("fill tall", "block_panel", height="stretch", border=True, gap="xsmall"):
        put_sheet(__file__, "block_panel.css")
        _header(trace, block)
        with box("note", "block_text", border=False):
            tex = block_formula(trace.config, block, current_look())
            said, computed = st.columns([0.5, 0.5] if tex else [0.99, 0.01], gap="medium")
            said.markdown(say(f"map.about_{variant(trace.config, block)}"))
            if tex:
                computed.markdown(f"${tex}$")
        drawn = pictures(trace, block)
        _pictures(trace, block, drawn)
        st.html(_facts(trace, block) + _addresses(trace, block, drawn))


def _header(trace: Trace, block: Block) -> None:
    row = side_by_side("block_header", gap="medium", wrap=False)
    row.markdown(f"**{title_of(trace.config, block)}**", width="stretch")
    if block.is_attention and row.button(
        say("map.to_attention"),
        key="block_to_attention",
        type="tertiary",
        icon=":material/grid_view:",
        on_click=_focus,
        args=(block,),
    ):
        st.switch_page(ATTENTION_PAGE)
    with row:
        walk_button(trace, block.after or block.inside, "block_to_walkthrough")
    row.button(
        say("map.close"), key="block_close", type="tertiary", icon=":material/close:",
        on_click=store.update, kwargs={"block": ""},
    )  # fmt: skip


def _pictures(trace: Trace, block: Block, drawn: Sequence[Picture]) -> None:
    figure = block_pictures(drawn, labels_of(trace, block), current_look(), FIGURE)
    alt = say("map.alt", title=title_of(trace.config, block))

    def clicked(click: Click) -> None:
        picture = drawn[click.curve] if click.curve < len(drawn) else None
        if picture is not None and picture.address:
            place = place_of(trace, picture, int(click.y) - 1, int(click.x) - 1)
            provenance.open_trail(picture.address, place)

    with box("fill", "block_place"):
        show_chart(figure, "block_pictures", alt, block.id, fill=True, clicked=clicked)


def _facts(trace: Trace, block: Block) -> str:
    """The numbers as a row of small tiles; words of the reader are escaped."""
    tiles = "".join(
        f"<p><span>{html.escape(name)}</span><b>{html.escape(value)}</b></p>"
        for name, value in block_facts(trace, block, store.get_state().precision)
    )
    return f'<div class="block_facts">{tiles}</div>'


def _addresses(trace: Trace, block: Block, drawn: Sequence[Picture]) -> str:
    """Where the drawn tensors are recorded, with their shapes, and what the colours leave out."""
    shown = dict.fromkeys(at for at in (block.before, block.inside, block.after) if at)
    parts = [
        f"<code>{at}</code> {' × '.join(map(str, trace[at].shape))} "
        f" ({' × '.join(shape_letters(at, trace.config))})"
        for at in shown
    ]
    steps = max((picture.step for picture in drawn), default=1)
    notes = [say("map.click")] if any(picture.address for picture in drawn) else []
    notes += [say("map.clipped")] if any(picture.clipped for picture in drawn) else []
    notes += [say("map.pooled", step=steps)] if steps > 1 else []
    note = " ".join(html.escape(said) for said in notes)
    lines = "<br>".join([*([note] if note else []), *parts])
    return f'<p class="block_addresses" title="{html.escape(say("map.recorded"))}">{lines}</p>'


def _focus(block: Block) -> None:
    kind = "cross" if block.kind == "cross_attention" else block.stack
    store.update(kind=kind, layer=block.layer or 0, head=None)


def block_formula(config: ModelConfig, block: Block, look: FigureStyle) -> str:
    """The equations below each other as one piece of LaTeX, "" for a block without its own."""
    addresses = formula_addresses(config, block)
    lines = [line for address in addresses for line in _lines(config, address, look)]
    few = len(lines) <= FEW
    gap, size = (r" \\[6pt] ", r"\normalsize") if few else (r" \\ ", r"\footnotesize")
    rows = gap.join(line + (STRUT if r"\frac" in line and not few else "") for line in lines)
    return rf"{size}\begin{{array}}{{l}} {rows} \end{{array}}" if lines else ""


def formula_addresses(config: ModelConfig, block: Block) -> list[str]:
    """The addresses whose equations make the formula of a block."""
    at = Address.of(block.id)
    where = at.place if block.kind in ("embedding", "positions", "token_type") else block.id
    if block.kind in _PARTS:
        # without it the mask hides only padding, of which one sentence has none
        left_out = () if at.is_causal else ("masked",)
        found = [Address.of(f"{where}/{name}") for name in _PARTS[block.kind]]
        return [
            each.text for each in found
            if each.name not in left_out and records(config, each.group, each.name, each.is_cross)
        ]  # fmt: skip
    if block.kind == "head":
        return [block.before, *(f"output/{name}" for name in ("dense", "activation")), block.after]
    if block.kind == "add_norm":
        summed = f"{at.sublayer_place}_residual/summed"
        return [summed, f"{block.id}/normalized", f"{block.id}/output"]
    return [] if block.kind == "layer" else [block.after]


def _lines(config: ModelConfig, address: str, look: FigureStyle) -> list[str]:
    """The equation of an address; two equations on one line are set below each other."""
    tex, site = equation(config, address), site_at(address)
    if site.name == "scaled" and site.group == "attention":
        # The scores have no line of their own here.
        scores = equation(config, Address.of(address).sibling("scores")).partition("= ")[2]
        tex = rf"S' = {scores}" if tex == "S' = S" else tex.replace("{S}", f"{{{scores}}}")
    elif site.name == "q_rotated":  # in full on the Walkthrough: it is too wide here
        tex = r"Q_t \to R_t Q_t \quad K_s \to R_s K_s"
    elif site.name == "weights" and not Address.of(address).is_causal:
        tex = tex.replace(r"\tilde{S}", "S'")
    elif site.name == "output" and site.group not in ("norm", "attention"):  # too wide there
        tex = f"{site.symbol} = {tex}"
    hue = look.colour(site.role)
    return [rf"\textcolor{{{hue}}}{{{part}}}" for part in tex.split(r",\ ")]

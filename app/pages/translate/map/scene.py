"""What every part of the drawing needs: the run, the reader's look and language, tint and words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from glassformer.app.pages.translate.map.shapes import Box, Item, rect_item, strip_item, text_item
from glassformer.app.pages.translate.map.strips import WITHOUT
from glassformer.app.plots.colours import mix_colours, readable_on
from glassformer.app.plots.labels import format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.words import say
from glassformer.core.analysis.blocks import Block, Kind
from glassformer.core.config import ModelConfig
from glassformer.core.trace.graph import layer_count
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.trace import Trace

ROLES: dict[Kind, str] = {
    "embedding": "data", "positions": "data", "token_type": "data", "embedding_norm": "norm",
    "head": "data", "layer": "norm", "self_attention": "weights",
    "cross_attention": "weights", "feed_forward": "feed_forward", "add_norm": "norm",
    "norm": "norm", "add": "norm", "final_norm": "norm", "memory": "data", "linear": "data",
    "softmax": "data",
}  # fmt: skip
CALLED = {  # what has words of its own, but no name
    "self_alone": "self_attention", "masked_alone": "masked_attention", "linear_blank": "linear",
    "softmax_blank": "softmax",
}  # fmt: skip
UNTINTED = ("layer", "memory")  # what several blocks did together is told in their panels
FAINTEST, STRONGEST = 0.07, 0.62  # share of the role's colour in a block of ratio 0, from `END` on
BY_ROLE = 0.26  # the same where colours say what a block is, not what it does
END = 1.0  # the ratio from which on the tint is strongest, in every sentence
STRIP_FROM = 24  # units that a block is high at least to have room for its stripe
NAME_SIZE, SMALL_NAME, NUMBER_SIZE = 15.0, 14.0, 14.0


@dataclass(frozen=True)
class Scene:
    """One run drawn for one reader."""

    trace: Trace
    look: FigureStyle
    blocks: Mapping[str, Block]
    ratios: Mapping[str, float]  # block id -> ‖after − before‖ / ‖before‖
    open_block: str
    tinted: bool = False  # by the ratios; else each block by its role
    letters: bool = True  # whether shapes on wires have room for their letters

    def tint(self, role: str, ratio: float) -> str:
        """The fill of a block of that ratio; a ratio without a number is not tinted."""
        share = min(max(ratio / END, 0.0), 1.0) if math.isfinite(ratio) else 0.0
        strength = FAINTEST + (STRONGEST - FAINTEST) * share
        return mix_colours(self.look.colour("page"), self.look.colour(role), strength)

    def role_fill(self, role: str) -> str:
        """The fill of a block that is coloured by its role alone."""
        return mix_colours(self.look.colour("page"), self.look.colour(role), BY_ROLE)

    def fill(self, block: Block) -> str:
        if not self.tinted and block.kind != "layer":
            return self.role_fill(ROLES[block.kind])
        ratio = 0.0 if block.kind in UNTINTED else self.ratios.get(block.id, 0.0)
        return self.tint(ROLES[block.kind], ratio)

    def number(self, block: Block) -> str:
        """The tint's number as it is printed in the block; "" for a block without one."""
        if not self.tinted or block.kind in UNTINTED or block.id not in self.ratios:
            return ""
        return whole_percent(self.ratios[block.id])

    def block(self, block_id: str, box: Box, big: bool = True) -> Item:
        """A block with its name and number, to point at and to click."""
        block = self.blocks[block_id]
        fill, number = self.fill(block), self.number(block)
        ink, size = readable_on(fill), NAME_SIZE if big else SMALL_NAME
        inside, middle = [rect_item(box, fill, ROLES[block.kind])], box.cy
        if box.h >= STRIP_FROM and block.kind not in WITHOUT:
            high = box.h / 6
            place = Box(box.x + 9, box.bottom - high - 4, box.w - 18, high)
            inside.append(strip_item(block.id, place))
            middle -= high / 2 + 1
        name, base = self.name(block), middle + size * 0.35
        if number and block.layer is not None:
            inside.append(text_item(box.x + 12, base, name, size, ink, weight=600))
            inside.append(text_item(box.right - 11, base, number, NUMBER_SIZE, ink, "end"))
        else:
            label = f"{name}  {number}" if number else name
            inside.append(text_item(box.cx, base, label, size, ink, "middle", 600))
        return self.pressable(block, box, inside)

    @property
    def layer_fill(self) -> str:
        """Of the card or slab of a layer."""
        return mix_colours(self.look.colour("page"), self.look.colour("panel"), 0.6)

    def pressable(self, block: Block, box: Box, inside: list[Item], radius: float = 6) -> Item:
        """Make drawn items the button of a block, to point at and to click."""
        return {
            "kind": "button",
            "id": block.id,
            "tip": self.tip(block),
            "pressed": block.id == self.open_block,
            "items": inside,
            "ring": rect_item(box, "none", "text", radius, 2.5),
        }

    def name(self, block: Block) -> str:
        """The block's short name."""
        return name_of(self.trace.config, block)

    def tip(self, block: Block) -> list[str]:
        """Name, one line of what it does, shape, the tint's number."""
        changed = ""
        if block.id in self.ratios:
            key = "map.changed_by_norm" if block.kind == "add_norm" else "map.changed_by"
            changed = say(key, share=whole_percent(self.ratios[block.id]))
        what = say(f"map.what_{variant(self.trace.config, block)}")
        return [title_of(self.trace.config, block), what, self.shapes(block), changed]

    def shapes(self, block: Block) -> str:
        """What goes in and what comes out, in numbers and letters."""
        enters = [block.before]
        if block.kind == "cross_attention":
            enters.append(f"{block.id}/memory")
        numbers, named = (
            f"{', '.join(' × '.join(of(at)) for at in enters)} → {' × '.join(of(block.after))}"
            for of in (self.sized, self.lettered)
        )
        return f"{numbers}   ({named})"

    def words_of(self, side: str) -> str:
        """The words key of the words of a side: the side, of one stack what it does."""
        config = self.trace.config
        return side if config.has_both else "continue" if config.decoder_layers else "fill_in"

    def lettered(self, address: str) -> list[str]:
        """The letters of a shape without the batch."""
        return [letter for letter in shape_letters(address, self.trace.config) if letter != "B"]

    def sized(self, address: str) -> list[str]:
        """The shape without the batch, as numbers."""
        axes = self.trace.axes(address)
        return [str(axis.size) for axis in axes if axis.name != "batch"]

    def wire_label(
        self, x: float, y: float, address: str, anchor: str = "start", size: float = 13
    ) -> Item:
        """A shape on a wire: the numbers, then the letters, fainter."""
        made = text_item(x, y, " × ".join(self.sized(address)), size, "text", anchor)
        named = {"after": " × ".join(self.lettered(address)), "after_fill": "faint"}
        return made | named if self.letters else made


def name_of(config: ModelConfig, block: Block) -> str:
    """The block's short name."""
    if block.kind == "layer":
        layers = layer_count(config, block.stack)
        return say("map.name_layer", layer=(block.layer or 0) + 1, layers=layers)
    found = variant(config, block)
    return say(f"map.name_{CALLED.get(found, found)}")


def title_of(config: ModelConfig, block: Block) -> str:
    """The block's name with its place: "Encoder · Layer 1 · Feed-forward"."""
    only_one = block.kind in ("memory", "head", "linear", "softmax")
    parts = [] if only_one else [say(f"map.stack_{block.stack}")]
    if block.layer is not None and block.kind != "layer":
        parts.append(say("map.place_layer", layer=block.layer + 1))
    return " · ".join([*parts, name_of(config, block)])


def variant(config: ModelConfig, block: Block) -> str:
    """The kind, by which its words are found, where another model's is not another thing."""
    if block.kind == "self_attention":
        kind = "masked" if block.stack == "decoder" else "self"
        return f"{kind}_attention" if config.has_both else f"{kind}_alone"
    if block.kind in ("linear", "softmax") and not config.decoder_layers:
        return f"{block.kind}_blank"
    if block.kind == "norm" and config.norm_kind == "rms":
        return "rms_norm"
    return "gated" if block.kind == "feed_forward" and config.gated else block.kind


def whole_percent(ratio: float) -> str:
    """A ratio as whole percent, "NaN" for one without a number."""
    if not math.isfinite(ratio):
        return "NaN" if math.isnan(ratio) else "∞"
    return f"{ratio:.0%}" if ratio >= 0.0995 else format_percent(ratio)

"""The heads' own small matrices, and the one large matrix that stands for them."""

from typing import Any

import torch

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.blocks import draw_blocks
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.one_matrix.figures import one_matrix_drawing
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.one_matrix import OneMatrix, both_ways, one_matrix

ONE_MATRIX = (
    Field("words", "S", 3, "slider", low=1, high=4, step=1),
    Field("width", "D", 4, "slider", low=2, high=12, step=1),
    Field("heads", "H", 2, "slider", "query", low=1, high=4, step=1),
    Field("seed", "", 0, low=0, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("one_matrix")
    whose.tell_stand_in()
    answer = kit.compute_from_inputs("one_matrix", ONE_MATRIX, one_matrix, note=_rounding)

    def draw(answer: kit.Answer[OneMatrix]) -> None:
        found = answer.result
        heads, width, inside = found.small.shape
        small = f"{heads} × {width} × {inside} = {found.small.numel()}"
        large = f"{width} × {width} = {width * width}"
        said = {
            "small": say("lab_one_matrix.small", heads=heads, count=small),
            "large": say("lab_one_matrix.large", count=large),
        }
        drawing = one_matrix_drawing(found, texts | said, look)
        more = {"alt": texts["alt"], "hint": texts["hint"]}
        with box("fill tall", "lab_one_matrix_fill", gap=None):
            draw_blocks("lab_one_matrix_blocks", drawing | more)

    kit.draw_with_foresight(answer, draw)


def _rounding(found: OneMatrix, _edited: bool) -> str:
    """How far the two are apart, here and in the model on screen with its sentence."""
    look = current_look()
    here = say("lab_one_matrix.equal", difference=look.number(found.difference))
    try:
        model = whose.transformer()
    except GlassformerError:
        return here
    attention: Any = model.encoder.layers[0].self_attention
    trace = whose.bench_trace()
    with torch.no_grad():
        ids = torch.as_tensor(trace["source/ids"][:1], device=model.generator.weight.device)
        x = model.source_embedding(ids)[0]
    real = both_ways(attention, x)
    width, inside = real.large.size(0), real.small.size(-1)
    sizes = {"heads": len(real.small), "width": width, "inside": inside, "words": len(x)}
    said = say("lab_one_matrix.model", difference=look.number(real.difference), **sizes)
    return say("language.gap").join([here, said])

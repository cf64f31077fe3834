"""The hidden units of two runs."""

from glassformer.app.pages.vectors.compare import KEY, LAYOUT
from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.panels.compare import pickers, triple
from glassformer.app.panels.compare.triple import Matrix
from glassformer.app.session.memory import Pair
from glassformer.app.ui.pick import set_field
from glassformer.app.words import say
from glassformer.core.analysis.neurons import units_at
from glassformer.core.trace.graph import layer_count


def show(pair: Pair) -> None:
    """Draw the units of a layer of both runs, and the difference."""
    focus = VectorsFocus.current()
    count = layer_count(focus.trace.config, focus.stack)
    layer = min(focus.now.layer, count - 1)
    with pickers.picker_row("neurons"):
        pickers.pick_layer(count, layer, set_field("layer"), KEY)
    address = f"{focus.stack}/{layer}/feed_forward/{units_at(focus.trace.config)}"
    title = say("beside.neurons_title", layer=layer + 1)
    triple.show(pair, Matrix(address), KEY, title, LAYOUT)

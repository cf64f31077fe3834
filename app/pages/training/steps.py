"""The steps of a training as a list or as a strip of maps: drawn by two panels."""

from glassformer.app.ui.component import CELLS, component

draw_steps = component(__file__, "steps", scripts=(CELLS,))

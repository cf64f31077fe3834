"""The Vectors page for two runs: the same questions, answered for both."""

from glassformer.app.pages.vectors import page
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.session.memory import Pair

LAYOUT = TripleLayout(width=1380, height=560)  # of panels that show a matrix of each run
KEY = "beside_vectors"


def show(pair: Pair) -> None:
    """Draw the panel of the state for both runs, under the page's own pickers."""
    page.show(lambda panel: panel.show_pair(pair))

"""What the positions of two runs add."""

from glassformer.app.pages.vectors.compare import KEY, LAYOUT
from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.triple import Matrix
from glassformer.app.session.memory import Pair
from glassformer.app.words import say


def show(pair: Pair) -> None:
    """Draw what is added to the words of both runs, and the difference."""
    address = f"{VectorsFocus.current().side}/positions"
    triple.show(pair, Matrix(address), KEY, say("beside.positions_title"), LAYOUT)

"""Which word made this word, for the row in focus."""

from glassformer.app.pages.vectors.focus import VectorsFocus
from glassformer.app.panels import which_word
from glassformer.app.panels.which_word import Question
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.ui.pick import menu
from glassformer.app.words import say
from glassformer.core.trace.graph import Stack


def show() -> None:
    """Draw the choice of the row, and what made its word."""
    trace = on_screen.trace_on_screen()
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    focus = VectorsFocus.current(stack)
    labels = {at: f"{at + 1} {visible(word)}" for at, word in enumerate(focus.words.labels)}
    row = min(focus.position, len(trace.output_tokens) - 1)
    menu("which_word_row", say("which_word.row"), labels, row,
         lambda at: store.update(token=(focus.side, at)), width=240)  # fmt: skip
    edits = on_screen.edits_on_screen()
    which_word.show(Question(trace, focus.model, edits, row, focus.look))

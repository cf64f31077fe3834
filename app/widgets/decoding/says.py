"""One step in words: what it read and wrote, how unsure it was, what was forbidden."""

from __future__ import annotations

import streamlit as st

from app.figures.labels import format_number, visible
from app.figures.theme import Look
from app.widgets.decoding.columns import format_share, written
from app.widgets.decoding.run import Decoding, word_of
from app.widgets.text import literal
from app.words import say
from core.text.vocabulary import END

NEARLY_ONE = 1.005  # "as between 1.00 words" says nothing


def show(decoding: Decoding, place: int, look: Look) -> None:
    """Draw the sentences, one a line."""
    for line in lines(decoding, place, look):
        st.markdown(line)
    if notes := about_the_run(decoding):
        st.caption("  \n".join(notes))


def lines(decoding: Decoding, place: int, look: Look) -> list[str]:
    """As markdown: the words, the entropy, and what stood in the way."""
    run = decoding.run
    step = run.moments[place].step
    wrote = literal(written(run, place)) or literal(say("timeline.strip_end"))
    found = [
        say(
            "timeline.said_step",
            reads=literal(visible(run.trace.target_tokens[place])),
            writes=wrote,
            percent=format_share(step.probability),
        ),
        _entropy(decoding, place, look),
    ]
    if place in run.forced:
        own = word_name(decoding, run.own[place])
        found.append(say("timeline.said_forced", own=own))
    if step.guarded is not None:
        found.append(say("timeline.said_guarded", word=word_name(decoding, step.guarded)))
    best = step.candidates[0][0]
    if best in decoding.task.forbidden and best != step.chosen:
        found.append(say("timeline.said_barred", word=word_name(decoding, best)))
    return found


def _entropy(decoding: Decoding, place: int, look: Look) -> str:
    step = decoding.run.moments[place].step
    if step.probability != step.probability:
        return say("timeline.said_nan")
    entropy = format_number(step.entropy, look.precision)
    if step.alike < NEARLY_ONE:
        return say("timeline.said_sure", entropy=entropy)
    alike = format_number(step.alike, look.precision)
    return say("timeline.said_entropy", entropy=entropy, alike=alike)


def word_name(decoding: Decoding, index: int) -> str:
    """A word of the vocabulary for prose, as markdown."""
    if decoding.trace.vocabulary[index] == END:
        return literal(say("timeline.strip_end"))
    return literal(visible(word_of(decoding.trace, index)))


def about_the_run(decoding: Decoding) -> list[str]:
    """What must be known of a switched run; nothing of a plain one."""
    found = []
    if decoding.edits:
        found.append(say("timeline.note_edits"))
    if decoding.dropout:
        found.append(say("timeline.note_dropout"))
    return found

"""What stands in large type: what was read and what was written, told apart by the task."""

import re
from contextlib import suppress
from dataclasses import replace

from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.ui.lines import in_one_line
from glassformer.app.ui.text import list_left_aside
from glassformer.app.words import say
from glassformer.core.analysis.choices import BLANKS, least_sure, probabilities, rows_by_model
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.aside import LeftAside
from glassformer.core.weights.opened_model import BLANK

SPACE = "␣"  # how a piece shows the space before it
NAMED = 4  # words in blanks that are written out
_BLANK = re.compile("|".join((BLANK.pattern, *map(re.escape, BLANKS))))
Part = tuple[str, bool]  # a text, and whether it was given


def text_parts(trace: Trace) -> list[Part]:
    """The text from its start to its end; [] for a translation, which stands alone."""
    if not trace.config.has_generator:
        return [(trace.source_text, True)]
    if trace.task == "continue":
        found = [(trace.sent or trace.source_text, True), (_continuation(trace), False)]
        return [(in_one_line(each), given) for each, given in found]  # all of it, on few lines
    return _filled(trace) if trace.task == "fill_in" else []


def _continuation(trace: Trace) -> str:
    rows = rows_by_model(trace)
    text = as_text([trace.output_tokens[row] for row in rows])
    with suppress(GlassformerError):  # bytes of one letter are text together alone
        ids = [trace.output_ids[row] for row in rows]
        text = on_screen.plain_model().reading(trace, ids).text
    begins = trace.output_tokens[rows[0]] if rows else ""
    return f" {text}" if begins.startswith(SPACE) and not text.startswith(" ") else text


def _filled(trace: Trace) -> list[Part]:
    # Of a pair both texts are shown, a bar between them.
    given = _BLANK.split(" ‖ ".join(filter(None, (trace.source_text, trace.text_pair))))
    words = [as_text([trace.output_tokens[row]]) for row in rows_by_model(trace)]
    if len(given) != len(words) + 1:  # the tokenizer saw other blanks than a reader does
        return [(trace.output_text, True)]
    found: list[Part] = [(given[0], True)]
    for word, rest in zip(words, given[1:], strict=True):
        found += [(word, False), (rest, True)]
    return found


def as_text(tokens: list[str]) -> str:
    """Pieces as running text."""
    return "".join(tokens).replace(SPACE, " ").removeprefix("##").strip()


def cue_text(trace: Trace) -> str:
    """What was written and how sure the model was, of a model that nobody has judged.

    And what of its folder is not run.
    """
    left = LeftAside()
    with suppress(GlassformerError):  # a run that was opened may be of a model that is not here
        left = getattr(on_screen.plain_model(), "left_aside", left)
    if left.no_head:
        main = say("translate.cue_no_head", count=len(rows_by_model(trace)))
    else:
        main = _written_and_sure(trace)
    return " · ".join([main, *list_left_aside(replace(left, no_head=False))])


def _written_and_sure(trace: Trace) -> str:
    if not trace.config.has_generator:
        return say("translate.no_generator")
    rows, chances = rows_by_model(trace), probabilities(trace)
    if trace.task == "fill_in":
        found = [
            f"“{visible(trace.output_tokens[row])}” {format_percent(chances[row])}"
            for row in rows[:NAMED]
        ]
        more = ["…"] if len(rows) > NAMED else []
        words = " · ".join([*found, *more])
        return say("translate.cue_blanks", words=words) if found else say("translate.cue_no_blank")
    weakest = least_sure(trace, rows or range(len(chances)))
    token, percent = f"“{visible(trace.output_tokens[weakest])}”", format_percent(chances[weakest])
    least = say("translate.cue_least", token=token, percent=percent)
    return say(f"translate.cue_{trace.task}", count=len(rows), least=least)

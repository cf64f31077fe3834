"""The component: a translation in the largest type that fits, a cue and a hint below it."""

from __future__ import annotations

from app.ui.component import component

_headline = component(__file__, "headline")


def headline(
    text: str,
    language: str,
    further: str,
    badge: str,
    cue: str,
    cue_help: str,
    level: str,
    hint: str,
    compact: bool,
) -> None:
    """Draw the translation; its place is as high for a long one as for a short one.

    language: of the translation, "en" or "zh", for the browser's choice of font. further: what
    follows it in grey, of sentences that the page does not show. badge: a warning before the cue,
    or "". cue: how far to trust it, marked by `level`: "sure" or "unsure". hint: shown where it
    fits on the line of the cue. compact: in less room.
    """
    texts = {"text": text, "further": further, "badge": badge, "cue": cue, "hint": hint}
    about = {"language": language, "cue_help": cue_help, "level": level, "compact": compact}
    _headline("headline", texts | about)

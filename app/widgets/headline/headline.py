"""The component: a translation in the largest type that fits, a cue and a hint below it."""

from __future__ import annotations

from collections.abc import Mapping

from app.widgets.component import component

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
    colours: Mapping[str, str],
    key: str = "headline",
) -> None:
    """Draw the translation; its place is as high for a long one as for a short one.

    language: of the translation, "en" or "zh", for the browser's choice of font. further: what
    follows it in grey, of sentences that the page does not show. badge: a warning before the cue,
    or "". cue: how far to trust it, marked by `level`: "sure" or "unsure". hint: shown where it
    fits on the line of the cue. compact: in less room. colours: "grey", "sure", "unsure".
    """
    _headline(
        key=key,
        data={
            "text": text,
            "language": language,
            "further": further,
            "badge": badge,
            "cue": cue,
            "cue_help": cue_help,
            "level": level,
            "hint": hint,
            "compact": compact,
            "colours": dict(colours),
        },
    )

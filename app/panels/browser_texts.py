"""Texts that the browser keeps by name: they outlive the session, the server and this front."""

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

from glassformer.app.session.memory import BrowserTexts
from glassformer.app.ui.component import component

_texts = component(__file__, "browser_texts")


def listen_to_browser(
    kind: str, texts: BrowserTexts, take: Callable[[dict[str, str]], object], awaited: bool = False
) -> None:
    """Hand the browser what has changed; it takes no room. `take` hears of all it keeps, if any.

    awaited: `take` hears, too, that there is nothing.
    """

    def heard(sent: Mapping[str, Any]) -> None:
        given = sent.get("texts")
        pairs = given.items() if isinstance(given, dict) else ()
        take({name: text for name, text in pairs if isinstance(text, str)})

    def refuse(_: object) -> None:
        texts.full = True

    data = {"kind": kind, "change": texts.change, "changes": texts.changes, "awaited": awaited}
    _texts(f"bridge_{kind}s", data, kept=heard, full=refuse)


def change_texts(texts: BrowserTexts, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """The browser writes what is other than before, as soon as it is listened to."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    texts.change, texts.changes, texts.full = token_hex(4), {n: after.get(n) for n in names}, False

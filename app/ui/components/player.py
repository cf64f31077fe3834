"""The component: one step back, play or stop, one step on; the arrow keys do the same."""

from collections.abc import Callable, Mapping

from glassformer.app.ui.component import component, go_to_place

SECONDS = 1.3  # a step stays on screen when playing: time to read a line

_player = component(__file__, "player")


def draw_player(
    count: int, now: int, texts: Mapping[str, str], accent: str, on_go: Callable[[int], None]
) -> None:
    """Draw the buttons; `on_go(place)` is called before the rerun, with 0 ≤ place < `count`.

    The browser keeps the time, and asks for the next step only once this one is on screen: a slow
    server plays more slowly, and nothing runs when the page is left. texts: "back", "play",
    "stop", "on".
    """
    data = {
        "count": count,
        "now": now,
        "texts": dict(texts),
        "colours": {"role": accent},
        "wait": 1000 * SECONDS,
    }
    _player("player", data, go=go_to_place(count, on_go))

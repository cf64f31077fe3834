"""All benches of the Lab as tiles: a small picture, and the question that a bench asks."""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer.app.pages.lab.tile_pictures import bench_picture
from glassformer.app.session import store
from glassformer.app.session.state import LAB
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say, texts_of_language

_tiles = component(__file__, "tiles")


def show(groups: Mapping[str, Sequence[str]]) -> None:
    """Draw the tiles of groups of benches; one click opens a bench."""
    data = [
        {"name": say(f"lab.group_{group}"), "tiles": list(map(_tile, names))}
        for group, names in groups.items()
    ]
    with box("fill grows", "lab_tiles", gap=None):
        _tiles("lab_tiles_all", {"groups": data}, pick=_open)


def _tile(bench: str) -> dict[str, Any]:
    return {
        "bench": bench,
        "name": say(f"lab.bench_{bench}"),
        "question": bench_question(bench),
        "picture": bench_picture(bench, current_look().dark),
    }


def bench_question(bench: str) -> str:
    """What a bench asks: its title, or where it has several, what `lab.ask_<bench>` says."""
    own = f"lab_{bench}.title" in texts_of_language(store.get_state().language)
    return say(f"lab_{bench}.title") if own else say(f"lab.ask_{bench}")


def _open(value: Mapping[str, Any]) -> None:
    if value.get("bench") in LAB:
        store.update(lab=value["bench"])

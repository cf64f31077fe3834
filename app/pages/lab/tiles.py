"""All benches of the Lab as tiles: a small picture, and the question that a bench asks."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from glassformer.app.pages.lab.tile_pictures import bench_picture
from glassformer.app.panels.panel import Panel, panels_of
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say

_tiles = component(__file__, "tiles")


def show() -> None:
    """Draw the tiles below the headings of their groups; one click opens a bench."""
    data = [
        {"name": say(group), "tiles": list(map(_tile, benches))}
        for group, benches in groupby(panels_of("lab").values(), lambda bench: bench.group)
    ]
    with box("fill grows", "lab_tiles", gap=None):
        _tiles("lab_tiles_all", {"groups": data}, pick=_open)


def _tile(bench: Panel) -> dict[str, Any]:
    return {
        "bench": bench.id,
        "name": say(bench.title),
        "question": say(bench.top),
        "picture": bench_picture(bench.id, current_look().dark),
    }


def _open(value: Mapping[str, Any]) -> None:
    if value.get("bench") in panels_of("lab"):
        store.update(lab=value["bench"])

"""Sizes above, the regrouping into heads below."""

from functools import lru_cache
from typing import Any

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.blocks import draw_blocks
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.split.figures import LANES, split_drawing
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.head_split import HeadSplit, head_split
from glassformer.core.lab.inputs import read_choice

SPLIT = (
    Field("way", "", "split", "choice", options=tuple(LANES)),
    Field("sentences", "B", 1, low=1, high=2, step=1),
    Field("words", "S", 4, "slider", low=1, high=6, step=1),
    Field("width", "D", 8, "slider", low=2, high=16, step=1),
    Field("heads", "H", 2, "slider", "query", low=1, high=4, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    texts = kit.draw_bench_head("split")
    answer = kit.compute_from_inputs("split", SPLIT, _split)

    def draw(answer: kit.Answer[HeadSplit]) -> None:
        found, way = answer.result, answer.typed["way"]
        wrong = found.steps["wrong_view" if way == "split" else "wrong_concat"].misplaced
        counts = {"wrong": int(wrong.sum()), "cells": wrong.numel()}
        said = texts | {f"wrong_{way}": say(f"lab_split.wrong_{way}", **counts)}
        drawing = split_drawing(found, way, said, current_look())
        with box("fill tallest", "lab_split_fill", gap=None):
            draw_blocks("lab_split_blocks", drawing | {"alt": texts["alt"], "hint": texts["hint"]})

    kit.draw_with_foresight(answer, draw)


@lru_cache(maxsize=64)
def _split(way: Any, **sizes: Any) -> HeadSplit:
    read_choice("way", way, LANES)
    return head_split(**sizes)

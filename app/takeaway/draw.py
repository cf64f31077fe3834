"""Draws screens of the app without a browser: `python -m glassformer lecture.draw < screens.json`.

A process of its own: what runs the app's script here takes the place of Streamlit's server, of
which a process has one. Torch is loaded once for all screens; an answer is a line of JSON.
"""

import base64
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO
from unittest.mock import patch

import numpy as np
import orjson
import torch
from streamlit.testing.v1 import AppTest, element_tree, local_script_runner
from streamlit.util import calc_hash

from glassformer.app.runs import opened_files
from glassformer.app.runs.models import get_model
from glassformer.app.takeaway.formulas import mathml
from glassformer.app.takeaway.tree import Drawn, Node, build_tree, visible_tree
from glassformer.app.ui import scripts
from glassformer.app.ui.component import component_expression
from glassformer.core.settings import read_settings
from glassformer.core.trace.trace import Trace

APP = Path(__file__).parents[2] / "app.py"
THEMES = ("light", "dark")
LONGEST = 60.0  # seconds of one screen
LARGEST = 1_500_000  # bytes of what one picture is drawn from
DIGITS = 6  # significant ones: more than any screen shows
# Containers, components and inputs without a use on a page, by the beginnings of their keys.
LEFT_OUT = (
    "switches",
    "wants_room",
    "bridge_escape",
    "bridge_experiments",
    "bridge_file",
    "bridge_lines",
    "widget_direction",
    "player",
    "bridge_answers",
    "switch_bar",
    "lab_way_back",
)


def main(out: TextIO) -> None:
    """Answer what is asked for on the standard input: [[page, query], …]."""
    settings = read_settings()
    torch.set_num_threads(settings.threads)
    if hasattr(os, "nice"):
        os.nice(settings.nice)
    scripts.skip_installed_components()
    get_model()  # what is loaded now is not loaded within the time of the first screen
    with scripts.serve_scripts():
        for page, query in orjson.loads(sys.stdin.buffer.read()):
            out.write(orjson.dumps(_answer(page, query)).decode() + "\n")
            out.flush()


def _answer(page: str, query: dict[str, str]) -> dict[str, Any]:
    try:
        return draw_screen(page, query)
    except Exception:  # one scene that breaks is said in its place; the others are whole
        traceback.print_exc()
        return {"failed": True}


def draw_screen(page: str, query: dict[str, str]) -> dict[str, Any]:
    """What a link shows, in both themes: markup, data, style sheets, and the scripts for it.

    failed: the link is to no page, or its page broke. large: bytes of pictures that were left out.
    """
    if page and not (APP.parent / "app" / "pages" / page / "page.py").is_file():
        return {"failed": True}
    looks = [_run(page, {**query, "theme": theme}) for theme in THEMES]
    if any(look.failed for look in looks):
        return {"failed": True}
    large = sum(_lightened(look) for look in looks) // len(looks)
    return _answered(merge_themes(*(vars(look) for look in looks)), looks, large)


def _answered(screen: Any, looks: Sequence[Drawn], large: int) -> dict[str, Any]:
    names = {part["name"] for look in looks for part in look.parts}
    scripts = {name: component_expression(name) for name in sorted(names)}  # the same every time
    return {"screen": screen, "scripts": scripts, "large": large}


def merge_themes(light: Any, dark: Any) -> Any:
    """One for both themes: where they differ stands {"¦": [light, dark]}."""
    if type(light) is type(dark):
        if isinstance(light, dict) and light.keys() == dark.keys():
            return {name: merge_themes(light[name], dark[name]) for name in light}
        if isinstance(light, list) and len(light) == len(dark):
            return [merge_themes(*pair) for pair in zip(light, dark, strict=True)]
        if light == dark:
            return light
    return {"¦": [light, dark]}


def plain_data(data: Any) -> Any:
    """The same with arrays of fractions as rounded numbers, which pack to less than their bytes."""
    if isinstance(data, list):
        return [plain_data(each) for each in data]
    if not isinstance(data, dict):
        return data
    if "bdata" not in data or data.get("dtype") not in ("f4", "f8"):
        return {name: plain_data(each) for name, each in data.items()}
    array = np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"])
    rounded = [float(f"{n:.{DIGITS}g}") if np.isfinite(n) else None for n in array.tolist()]
    shape = [int(each) for each in str(data.get("shape", array.size)).split(",")]
    numbers: list[Any] = np.array(rounded, dtype=object).reshape(shape).tolist()
    return numbers


def draw_panel(page: str, query: dict[str, str], trace: Trace | None = None) -> dict[str, Any]:
    """What a link shows without what the app puts around its pages, as `draw_screen` tells it.

    trace: the run that is shown; without it the app computes that of the link.
    """
    held, to_open = opened_files.current_file, [trace] if trace else []

    def current_file() -> Any:
        if to_open:
            run = to_open.pop()
            opened_files.hold_run(run.model_name, str(id(run)).encode(), run)
        return held()

    with patch.object(opened_files, "current_file", current_file), scripts.serve_scripts():
        look = _run(page, query, f"{page}_page")
    if look.failed:
        return {"failed": True}
    return _answered(vars(look), [look], _lightened(look))


def _run(page: str, query: dict[str, str], only: str = "") -> Drawn:
    """Runs the app's script for a link, as a first visit does. only: a container's key."""
    app = AppTest.from_file(str(APP), default_timeout=LONGEST)
    app.query_params.update(query)
    if page:
        app._page_hash = calc_hash(page)  # what the browser sends of a path
    trees: list[Node] = []
    read = element_tree.parse_tree_from_messages

    def kept(messages: Any) -> Any:
        trees.append(build_tree(messages))
        return read(messages)

    try:
        with patch.object(local_script_runner, "parse_tree_from_messages", kept):
            app.run()
    except RuntimeError:  # it took too long
        return Drawn(failed=True)
    found = visible_tree(trees[-1], lambda key: key.startswith(LEFT_OUT), only)
    for part in found.parts:
        part["data"] = plain_data(part["data"])
        if part["name"] == "headline":
            part["data"]["hint"] = ""  # there is nothing that a click would open
        if part["name"] == "ahead":  # of all the steps that were sent ahead the one in view
            data = part["data"]
            data["steps"] = {data["current"]: data["steps"][data["current"]]}
            words = data["steps"][data["current"]]["words"]
            latex = filter(None, (*words["equations"], words["numbers"]))
            part["math"] = {each: mathml(each) for each in latex}
    return found


def _lightened(look: Drawn) -> int:
    """Takes out the data of what is too large for a page; how many bytes that was."""
    gone = 0
    for part in look.parts:
        size = len(orjson.dumps(part["data"]))
        if size > LARGEST:
            part["data"] = None
            gone += size
    return gone


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing else may stand between the answers
    main(answers)
    sys.stderr.flush()
    # All is written. What still computes in the background, for a next screen that never comes,
    # would now and then end the process by an abort.
    os._exit(0)

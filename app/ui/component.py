"""Register a component from the .css and .js files beside its module."""

import base64
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import streamlit as st

from glassformer.app.session import store
from glassformer.app.ui import scripts as served

KIT, CELLS = (Path(__file__).with_name(name) for name in ("kit.js", "cells.js"))
CHIP_COLUMNS = Path(__file__).parent / "components" / "chip_columns.js"
SCRIPTS: dict[str, list[Path]] = {}  # of every component, in the order in which they are sent
_whole: dict[str, str] = {}  # component -> all of it in one script
_catching = threading.local()
# What Streamlit sends of a component, with each new data: where the browser finds the whole.
# One line alone would be taken for the name of a file.
LOADS = "const whole = await import(location.origin + '{place}');\nexport default whole.default;"


def component(
    module: str, name: str, isolate_styles: bool = True, scripts: Sequence[str | Path] = ()
) -> Any:
    """The mounting function of `<name>.js` and `<name>.css` in the folder of a module.

    Call it once at import: `_map = component(__file__, "map")`, then `_map(key, data, pick=act)`:
    `act(value)` is called before the rerun with what the browser sends of the event "pick". Pass
    tokens and all other text of users through `data`; kit.js, which stands before the code of all,
    sets them as text. kit.css stands before the rules of those with styles of their own.
    scripts: further .js files, CELLS or as seen from the folder ("place.js"), that it uses, each
    with the .css beside it.
    """
    folder = Path(module).parent
    files = [folder / each for each in (KIT, *scripts, f"{name}.js")]
    sheets = [each.with_suffix(".css") for each in (files if isolate_styles else files[-1:])]
    css = _joined([each for each in sheets if each.exists()])
    _whole[name] = f"const STYLES = {json.dumps(css)};\n{_joined(files)}"
    script = served.serve_script(name, _whole[name])
    mount = st.components.v2.component(
        f"glassformer_{name}",
        isolate_styles=isolate_styles,
        js=LOADS.format(place=served.place_of(script)),
    )
    SCRIPTS[name] = files

    def mounted(key: str, data: Any, **given: Any) -> Any:
        """given: "height" and "width" of the place; all else is called with an event's value."""
        caught: dict[str, bytes] | None = getattr(_catching, "data", None)
        if caught is not None:
            caught[key] = json_bytes(data)
            return None
        more: dict[str, Any] = {
            each: given.pop(each) for each in ("height", "width") if each in given
        }
        more |= {f"on_{event}_change": _hearing(key, event, act) for event, act in given.items()}
        return mount(key=key, data=json_bytes(data), **more)

    return mounted


@contextmanager
def catch_data() -> Iterator[dict[str, bytes]]:
    """Within it no component is drawn: what each would be given stands in the result, by its key.

    Boxes (layout.py) are left out, too. Other elements of Streamlit would be drawn: have none.
    """
    _catching.data = {}
    try:
        yield _catching.data
    finally:
        _catching.data = None


def is_caught() -> bool:
    """Whether what is drawn now is only caught."""
    return getattr(_catching, "data", None) is not None


def _hearing(key: str, event: str, act: Callable[[Any], object]) -> Callable[[], None]:
    def heard() -> None:
        if (value := store.trigger(key, event)) is not None:
            act(value)

    return heard


def component_expression(name: str) -> str:
    """The function of a component as an expression, for other pages than the app's own."""
    before, _, function = _whole[name].rpartition("export default ")
    return f'(() => {{ "use strict";\n{before}return {function}\n}})()'


def go_to_place(count: int, on_go: Callable[[int], None]) -> Callable[[Mapping[str, Any]], None]:
    """What hears of {"to": place} and passes the place on, if there is one: 0 ≤ place < count."""

    def gone(sent: Mapping[str, Any]) -> None:
        to = sent.get("to")
        if isinstance(to, int) and 0 <= to < count:
            on_go(to)

    return gone


def _joined(paths: Sequence[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def pack_numbers(numbers: np.ndarray) -> str:
    """The bytes of an array as text, which `numbersOf` in cells.js reads."""
    return base64.b64encode(numbers.tobytes()).decode()


def json_bytes(data: Any) -> bytes:
    """Data as JSON, with null for NaN and ∞, which JSON lacks; bytes are JSON already.

    Data classes become objects of their fields. Of other data than bytes Streamlit makes JSON
    several times, and looks for tables in it.
    """
    if isinstance(data, bytes):
        return data
    return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)

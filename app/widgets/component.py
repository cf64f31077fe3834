"""Register a component from the .html, .css and .js files beside its module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import streamlit as st


def component(
    module: str, name: str, isolate_styles: bool = True, scripts: Sequence[str] = ()
) -> Any:
    """The mounting function of `<name>.html`, `.css` and `.js` in the folder of a module.

    Call it once at import: `_map = component(__file__, "map")`. Pass tokens and all other text
    of users through `data` and set them with `textContent`: components are not sandboxed.
    scripts: further .js files, seen from the folder ("../place"), whose functions `<name>.js` uses.
    """
    parts: dict[str, str | None] = {}
    for kind in ("html", "css"):
        path = Path(module).with_name(f"{name}.{kind}")
        parts[kind] = path.read_text(encoding="utf-8") if path.exists() else None
    code = [Path(module).parent / f"{each}.js" for each in (*scripts, name)]
    own = "\n".join(path.read_text(encoding="utf-8") for path in code if path.exists())
    frame = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    parts["js"] = own.replace("export default function", "const componentDraw = function") + frame
    mount = st.components.v2.component(
        f"glassformer_{name}", isolate_styles=isolate_styles, **parts
    )

    def mounted(*given: Any, data: Any = None, **more: Any) -> Any:
        return mount(*given, data=None if data is None else written(data), **more)

    return mounted


def written(data: Any) -> bytes:
    """Data as JSON, with null for NaN and ∞, which JSON lacks; bytes are JSON already.

    Of other data than bytes Streamlit makes JSON several times, and looks for tables in it.
    """
    if isinstance(data, bytes):
        return data
    return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)

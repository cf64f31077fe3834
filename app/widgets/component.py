"""Register a component from the .html, .css and .js files beside its module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st


def component(
    module: str, name: str, isolate_styles: bool = True, scripts: Sequence[str] = ()
) -> Any:
    """The mounting function of `<name>.html`, `.css` and `.js` in the folder of a module.

    Call it once at import: `_map = component(__file__, "map")`. Pass tokens and all other text
    of users through `data` and set them with `textContent`: components are not sandboxed.
    scripts: further .js files of the folder, whose functions `<name>.js` uses.
    """
    parts: dict[str, str | None] = {}
    for kind in ("html", "css"):
        path = Path(module).with_name(f"{name}.{kind}")
        parts[kind] = path.read_text(encoding="utf-8") if path.exists() else None
    code = [Path(module).with_name(f"{each}.js") for each in (*scripts, name)]
    parts["js"] = "\n".join(path.read_text(encoding="utf-8") for path in code if path.exists())
    return st.components.v2.component(f"glassformer_{name}", isolate_styles=isolate_styles, **parts)

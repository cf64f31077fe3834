"""Register a component from the .html, .css and .js files beside its module."""

from __future__ import annotations

import json
import math
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
    scripts: further .js files, seen from the folder ("../place"), whose functions `<name>.js` uses.
    """
    parts: dict[str, str | None] = {}
    for kind in ("html", "css"):
        path = Path(module).with_name(f"{name}.{kind}")
        parts[kind] = path.read_text(encoding="utf-8") if path.exists() else None
    code = [Path(module).parent / f"{each}.js" for each in (*scripts, name)]
    parts["js"] = "\n".join(path.read_text(encoding="utf-8") for path in code if path.exists())
    mount = st.components.v2.component(
        f"glassformer_{name}", isolate_styles=isolate_styles, **parts
    )

    def mounted(*given: Any, data: Any = None, **more: Any) -> Any:
        return mount(*given, data=sendable(data), **more)

    return mounted


def sendable(data: Any) -> Any:
    """The same with None for NaN and ∞, which are no JSON: the browser would show an error."""
    try:
        json.dumps(data, allow_nan=False)
    except TypeError:
        return data  # not JSON at all: tables and bytes go another way
    except ValueError:
        return _finite(data)
    return data


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {name: _finite(each) for name, each in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(each) for each in data]
    return data

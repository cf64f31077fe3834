"""Serve the app warmed up: `streamlit run serve.py`, which `make app` calls.

`streamlit run app.py` shows the same pages; there the first visitor waits for torch and the model.
"""

import pkgutil
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st

from app import scripts

FIRST = (  # what the first page needs
    "frame", "beside", "trail", "translate.lead", "translate.words_panel",
    "translate.choices_panel", "translate.map_panel",
)  # fmt: skip


@asynccontextmanager
async def _warm_up(_app: Any) -> AsyncIterator[None]:
    # In a thread: the port opens at once, and the browser loads its scripts meanwhile.
    threading.Thread(target=_load, name="warm-up", daemon=True).start()
    yield
    # A signal ends the server without Python's own clean-up: trainings and their folders go here.
    from app import process

    process.close()


def _load() -> None:
    from app import process

    process.warm_up()
    for name in FIRST:
        import_module(f"app.widgets.{name}")
    process.wait_until_quiet()  # the first visitor has a page; what follows is for the others
    from app import widgets

    for module in pkgutil.walk_packages(widgets.__path__, f"{widgets.__name__}."):
        import_module(module.name)
    process.load_the_rest()


app = st.App("app.py", lifespan=_warm_up, routes=[scripts.route()])

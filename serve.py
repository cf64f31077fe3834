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


@asynccontextmanager
async def _warm_up(_app: Any) -> AsyncIterator[None]:
    # In a thread: the port opens at once, and the browser loads its scripts meanwhile.
    threading.Thread(target=_load, name="warm-up", daemon=True).start()
    yield
    # A signal ends the server without Python's own clean-up: trainings and their folders go here.
    from app import process

    process.close()


def _load() -> None:
    from app import process, widgets

    for module in pkgutil.walk_packages(widgets.__path__, f"{widgets.__name__}."):
        import_module(module.name)
    process.warm_up()


app = st.App("app.py", lifespan=_warm_up, routes=[scripts.route()])

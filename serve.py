"""The server: `make app`, `streamlit run serve.py` and `streamlit run app.py` all start it.

Its settings are read before it starts. Torch and the model are loaded while the browser loads its
scripts, so that the first visitor does not wait for them.
"""

import asyncio
import gc
import pkgutil
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from glassformer.app.frame.opening_page import page_routes
from glassformer.app.hall import keys, rooms
from glassformer.app.hall import routes as hall
from glassformer.app.runs.uploads import UploadLimit
from glassformer.app.server import doors, messages, network
from glassformer.app.server.network import Departures, SecurityHeaders, describe_reach
from glassformer.app.ui import scripts
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings, share_heaps


def _check() -> None:
    """Ends the process with one sentence where a setting cannot be."""
    try:
        if read_settings().device not in ("", "cpu"):
            import_module("glassformer.core.model.device").choose_device()
    except GlassformerError as error:
        sys.exit(f"Glassformer: {error}")


FIRST = (  # what the first page needs
    "frame.frame", "panels.compare", "panels.provenance", "pages.translate.page",
)  # fmt: skip


@asynccontextmanager
async def _warm_up(_app: Any) -> AsyncIterator[None]:
    # In a thread: the port opens at once, and the browser loads its scripts meanwhile.
    threading.Thread(target=_load, name="warm-up", daemon=True).start()
    lines = filter(None, (describe_reach(), keys.startup_line()))
    sys.stdout.write("".join(f"\n  {line}" for line in lines) + "\n")
    sys.stdout.flush()
    network.gather_wake_ups()
    messages.lighten_messages()
    asyncio.get_running_loop().set_exception_handler(CONNECTIONS.failed)
    async with hall.hall_lifespan():
        with scripts.serve_scripts():
            yield
    # A signal ends the server without Python's own clean-up: trainings and their folders go here.
    from glassformer.app.server import process

    process.close_server()


def _load() -> None:
    gc.disable()  # a fifth of the time that imports take, for nothing
    from glassformer.app.server import process

    for name in FIRST:
        import_module(f"glassformer.app.{name}")
    process.warm_up()
    rooms.resume_rooms()
    process.wait_until_quiet()  # the first visitor has a page; what follows is for the others
    from glassformer.app import pages

    for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}."):
        import_module(module.name)
    process.load_the_rest()


_check()
share_heaps()
CONNECTIONS = doors.watch_connections(doors.raise_file_limit())
MIDDLEWARE = (
    Departures, doors.Proxies, SecurityHeaders, doors.Hosts, doors.FirstWord, UploadLimit,
)  # fmt: skip
app = st.App(
    "app.py",
    lifespan=_warm_up,
    routes=[scripts.scripts_route(), *hall.hall_routes(), *page_routes()],
    middleware=[Middleware(each) for each in MIDDLEWARE],
)

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
from secrets import token_hex
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from streamlit import config

from glassformer.app.frame.first_words import first_words_route
from glassformer.app.frame.opening_page import page_routes
from glassformer.app.hall import keys, rooms
from glassformer.app.hall import routes as hall
from glassformer.app.runs.uploads import UploadLimit
from glassformer.app.server import doors, fronts, messages, network, rerun_requests
from glassformer.app.server.network import Departures, SecurityHeaders, describe_reach
from glassformer.app.server.reconnects import Reconnects
from glassformer.app.stores import store
from glassformer.app.ui import scripts
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings, share_heaps


def _check() -> None:
    """Ends the process with one sentence where a setting cannot be."""
    try:
        if read_settings().device not in ("", "cpu"):
            import_module("glassformer.core.model.device").choose_device()
        if read_settings().blobs:
            import_module("glassformer.app.stores.blobs").open_blobs()
        if read_settings().store or keys.is_open():
            _share()
    except GlassformerError as error:
        sys.exit(f"Glassformer: {error}")


def _serve_metrics() -> None:
    if read_settings().metrics is None:
        return
    from glassformer.app.server import metrics

    try:
        metrics.serve_metrics(hall.HUB.usage)
    except GlassformerError as error:
        sys.exit(f"Glassformer: {error}")


def _share() -> None:
    """What one front signs another one knows. Errors: those of the store, where one was named."""
    try:
        secret = store.shared_value("cookie_secret", token_hex)
    except GlassformerError as error:
        if read_settings().store or error.key == "store_newer":
            raise
        return  # the hall says so to whoever opens a room
    if not config.is_manually_set("server.cookieSecret"):
        config.set_option("server.cookieSecret", secret)


def _look_at_store() -> None:
    if read_settings().store or keys.is_open():
        store.open_store().ask("select 1")


FRONT = fronts.Front(_look_at_store)
READY = threading.Event()  # set once the first sentence is translated
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
    network.gather_writes()
    messages.lighten_messages()
    rerun_requests.hear_whole_requests()
    asyncio.get_running_loop().set_exception_handler(CONNECTIONS.failed)
    async with hall.hall_lifespan():
        with scripts.serve_scripts(), FRONT.draining(hall.HUB.close):
            yield
    # A signal ends the server without Python's own clean-up: trainings and their folders go here.
    from glassformer.app.server import process

    process.close_server()


def _load() -> None:
    gc.disable()  # a fifth of the time that imports take, for nothing
    from glassformer.app.server import process

    process.warm_up()
    READY.set()
    for name in FIRST:
        import_module(f"glassformer.app.{name}")
    process.prepare_process()
    FRONT.loaded.set()
    rooms.resume_rooms()
    process.wait_until_quiet()  # the first visitor has a page; what follows is for the others
    from glassformer.app import pages

    for module in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}."):
        import_module(module.name)
    process.load_the_rest()


_check()
share_heaps()
scripts.skip_installed_components()
_serve_metrics()
CONNECTIONS = doors.watch_connections(doors.raise_file_limit())
MIDDLEWARE = (
    Departures, doors.Proxies, SecurityHeaders, doors.Hosts, Reconnects, doors.FirstWord,
    UploadLimit,
)  # fmt: skip
app = st.App(
    "app.py",
    lifespan=_warm_up,
    routes=[
        FRONT.ready_route(),
        first_words_route(READY.is_set),
        scripts.scripts_route(),
        *hall.hall_routes(),
        *page_routes(fronts.BOOT),
    ],
    middleware=[Middleware(each) for each in MIDDLEWARE],
)

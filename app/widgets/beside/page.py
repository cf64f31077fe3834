"""Any page with two runs beside each other: this is the one place that decides."""

from __future__ import annotations

from app import service
from app.widgets.parts import show_part

# The pages that have a body for two runs, by the path of their URL; "" is the first page.
BODIES = {
    "": "translate",
    "attention": "attention",
    "tensors": "tensors",
    "walkthrough": "walkthrough",
    "vectors": "vectors",
    "decoding": "decoding",
}


def show(url_path: str) -> bool:
    """Draw a page for both runs; False where it shows one run, as always."""
    pair = service.both()
    if pair is None or url_path not in BODIES:
        return False
    show_part(__package__, BODIES[url_path], pair)
    return True

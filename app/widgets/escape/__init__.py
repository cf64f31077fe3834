"""The Escape key: one step out, on every page."""

from app.widgets.escape.escape import is_pinned, listen, release, step_out

__all__ = ["is_pinned", "listen", "release", "step_out"]

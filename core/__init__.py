"""Glassformer's core: a Transformer that records everything it does. No screen in here."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.checkpoints import list_models, list_snapshots, load_history
    from core.trace.tape import Edit
    from core.trace.trace import Trace
    from core.weights.load import load_model

__all__ = ["Edit", "Trace", "list_models", "list_snapshots", "load_history", "load_model"]

_PLACES = {
    "Edit": "core.trace.tape", "Trace": "core.trace.trace", "load_model": "core.weights.load",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # When they are asked for: whoever wants `core.settings` alone does not wait for torch.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES.get(name, "core.checkpoints")), name)

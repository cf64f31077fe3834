"""Glassformer's core: a Transformer that records everything it does. No screen in here."""

from core.checkpoints import list_models, list_snapshots, load_history, load_model
from core.trace.tape import Edit
from core.trace.trace import Trace

__all__ = ["Edit", "Trace", "list_models", "list_snapshots", "load_history", "load_model"]

"""Inputs that send what is in them as one types."""

from app.widgets.lab.typed.typed import typed_inputs

__all__ = ["typed_inputs"]

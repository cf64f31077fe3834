"""The lecture notes' worked examples, editable, with their errata."""

from app.widgets.lab.examples.bench import show

__all__ = ["show"]

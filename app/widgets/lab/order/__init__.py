"""The words of the sentence in another order, with positions and without."""

from app.widgets.lab.order.bench import show

__all__ = ["show"]

"""The translation at every step, as a list."""

from app.widgets.training.step_table.step_table import Row, step_table

__all__ = ["Row", "step_table"]

"""The sentences of a padded batch under each other, word below word; a click picks one."""

from app.widgets.padded_rows.padded_rows import Line, RowTexts, padded_rows

__all__ = ["Line", "RowTexts", "padded_rows"]

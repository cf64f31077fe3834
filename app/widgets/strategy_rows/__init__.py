"""Several sentences, a row each, word under word."""

from app.widgets.strategy_rows.strategy_rows import Line, Word, strategy_rows

__all__ = ["Line", "Word", "strategy_rows"]

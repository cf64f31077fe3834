"""Attention as lines between two columns of words."""

from app.widgets.attention_lines.attention_lines import Line, attention_lines, lines_data

__all__ = ["Line", "attention_lines", "lines_data"]

"""Rows of switches with their choices."""

from app.widgets.switch_rows.switch_rows import Choice, Group, Row, switch_rows

__all__ = ["Choice", "Group", "Row", "switch_rows"]

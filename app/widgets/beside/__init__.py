"""Two runs beside each other: the plain and the switched one, or two sentences."""

from app.widgets.beside.page import show

__all__ = ["show"]

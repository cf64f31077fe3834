"""The translation in large type, and how sure the model is of it."""

from app.widgets.headline.headline import headline

__all__ = ["headline"]

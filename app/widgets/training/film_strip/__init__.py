"""One head at every step, side by side."""

from app.widgets.training.film_strip.film_strip import Shot, StripTexts, film_strip, strip_data

__all__ = ["Shot", "StripTexts", "film_strip", "strip_data"]

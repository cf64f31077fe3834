"""A decoding as a strip of columns, one a step."""

from app.widgets.decoding_strip.decoding_strip import Column, decoding_strip, strip_data

__all__ = ["Column", "decoding_strip", "strip_data"]

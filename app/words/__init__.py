"""Every sentence of the screens, in English and Chinese."""

from app.words.lookup import say

__all__ = ["say"]

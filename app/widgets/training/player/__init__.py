"""Buttons and keys that go from step to step, and play."""

from app.widgets.training.player.player import player

__all__ = ["player"]

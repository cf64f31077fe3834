"""The beam search as a tree."""

from app.widgets.beam_tree.beam_tree import Drawn, TreeTexts, beam_tree
from app.widgets.beam_tree.plan import Plan, plan

__all__ = ["Drawn", "Plan", "TreeTexts", "beam_tree", "plan"]

"""Blocks of cells that are regrouped: drawn by two benches."""

from glassformer.app.ui.component import component

draw_blocks = component(__file__, "blocks")

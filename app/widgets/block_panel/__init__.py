"""The panel that opens for a block of the map."""

from app.widgets.block_panel.block_panel import block_panel

__all__ = ["block_panel"]

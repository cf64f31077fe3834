"""The switches of the experiment as chips; a click on × takes one out."""

from app.widgets.switch.chips.chips import chips

__all__ = ["chips"]

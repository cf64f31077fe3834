"""The decoding page."""

from app.widgets.decoding import page

page.show()

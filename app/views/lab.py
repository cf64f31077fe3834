"""The lab page."""

from app.widgets.lab import page

page.show()

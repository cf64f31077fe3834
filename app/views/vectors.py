"""The vectors page."""

from app.widgets.vectors import page

page.show()

"""The switch page."""

from app.widgets.switch import page

page.show()

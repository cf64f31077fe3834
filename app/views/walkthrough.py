"""The walkthrough page."""

from app.widgets.walkthrough import page

page.show()

"""The Training page: how the model became what it is."""

from app.widgets.training import page

page.show()

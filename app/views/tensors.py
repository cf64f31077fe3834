"""The Tensors page: every tensor of the run, one large, its numbers and its files."""

from app import service
from app.widgets import tensors

tensors.show(service.on_screen())

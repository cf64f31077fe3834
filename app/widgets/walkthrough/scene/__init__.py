"""Before, operation, after: the tensors of a step as pictures that belong together."""

from app.widgets.walkthrough.scene.scene import own, shared, show

__all__ = ["own", "shared", "show"]

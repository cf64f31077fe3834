"""Before, operation, after: the tensors of a step as pictures that belong together."""

from app.widgets.walkthrough.scene.scene import scene_data, show

__all__ = ["scene_data", "show"]

"""Not drawn yet."""


def show() -> None:
    """Draws nothing."""

"""The page."""


def show() -> None:
    """Draw it."""

"""The Streamlit app over `core`: pages on panels on components and plots."""

from typing import Any


def __getattr__(name: str) -> Any:
    # `streamlit run app.py` looks for a server in the module `app`, which is this folder.
    if name == "app":
        from glassformer.serve import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

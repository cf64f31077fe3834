"""Any page with two runs beside each other: this is the one place that decides."""

from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.runs import on_screen

# The pages with a module `compare`, for two runs, by the path of their URL; "" is the first one.
PAGES = {
    "": "translate",
    **{page: page for page in ("attention", "tensors", "walkthrough", "vectors", "decoding")},
}


def show(url_path: str) -> bool:
    """Draw a page for both runs; False where it shows one run, as always."""
    pair = on_screen.pair_side_by_side()
    if pair is None or url_path not in PAGES:
        return False
    show_part(f"glassformer.app.pages.{PAGES[url_path]}", "compare", pair)
    return True

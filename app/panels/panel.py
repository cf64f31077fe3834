"""A panel is one folder of its page; what the page, *Save…* and the tests must know of it.

In `app/pages/<page>/<id>/`: `__init__.py` with its `PANEL`, `panel.py` with `show()`, its words in
`<language>.toml`, its figures and its component, if it has them; `compare.py` with `show(pair)`
where the page shows two runs. The ids of a page's panels stand in the state, in the order of its
picker.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.session.state import DECODING, LAB, REPLAYS, SWITCHES, VECTORS, State
from glassformer.app.ui.pick import segments, set_field
from glassformer.app.words import say

# The pages whose panels are folders: the field of the state that names one, and all names.
PAGES = {
    "vectors": ("vectors", VECTORS),
    "decoding": ("decoding", DECODING),
    "switch": ("switches", SWITCHES),
    "lab": ("lab", LAB),
    "training": ("replay", REPLAYS),
}


@dataclass(frozen=True)
class Panel:
    """What is known of a panel before it is drawn."""

    package: str  # `__name__` of its folder
    title: str  # key of its name in the page's picker
    top: str = ""  # key of what one sees, a sentence; "": `top_line()` of its `panel.py` says it
    fullest: Mapping[str, str] = field(default_factory=dict)  # the link that shows most of it
    tensors: tuple[str, ...] = ()  # addresses that *Save…* offers first; may name {stack}, {side}
    fills: bool = False  # Switch: whether it fills the page; else its effect stands beside it
    of_a_stack: bool = False  # whether the reader picks encoder or decoder above it
    group: str = ""  # Lab: key of the heading that its tile stands below

    @property
    def page(self) -> str:
        """The page that it stands on."""
        return self.package.split(".")[-2]

    @property
    def id(self) -> str:
        """What the state calls it."""
        return self.package.split(".")[-1]

    @property
    def link(self) -> dict[str, str]:
        """The query of its fullest state."""
        named: dict[str, Any] = {PAGES[self.page][0]: self.id}
        return State(**named).to_query() | dict(self.fullest)

    def say_top(self) -> str:
        """What one sees, as HTML."""
        if self.top:
            return escape(say(self.top))
        said: str = import_module(f"{self.package}.panel").top_line()
        return said

    def show(self, *given: Any) -> None:
        """Draw it; what it cannot draw is told in its place. given: what its `show` takes."""
        show_part(self.package.rpartition(".")[0], f"{self.id}.panel", *given)

    def show_pair(self, pair: Pair) -> None:
        """Draw it for two runs; one without a `compare.py` draws the run on screen."""
        if find_spec(f"{self.package}.compare") is None:
            self.show()
        else:
            show_part(self.package.rpartition(".")[0], f"{self.id}.compare", pair)


@cache
def panels_of(page: str) -> dict[str, Panel]:
    """The panels of a page by their ids; none where they are no folders."""
    _, names = PAGES.get(page, ("", ()))
    folder = f"glassformer.app.pages.{page}"
    return {name: import_module(f"{folder}.{name}").PANEL for name in names}


def panel_in_view(page: str) -> Panel | None:
    """The panel of a page that the state names; None where it names none."""
    if page not in PAGES:
        return None
    return panels_of(page).get(getattr(store.get_state(), PAGES[page][0]))


def show_picker(
    page: str,
    widget: str,
    label: str,
    take: Callable[[str], object] | None = None,
    titles: Mapping[str, str] | None = None,
) -> Panel:
    """Draw the choice between the panels of a page, and give the chosen one.

    titles: keys of those that are called otherwise here, by id.
    """
    name, panels = PAGES[page][0], panels_of(page)
    chosen = getattr(store.get_state(), name)
    labels = {each: say((titles or {}).get(each, panel.title)) for each, panel in panels.items()}
    segments(widget, label, labels, chosen, take or set_field(name))
    return panels[chosen]

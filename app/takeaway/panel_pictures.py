"""The panels of the app as pictures of a run: `trace.show.attribution()` in a notebook.

A picture is a page of HTML in a frame: it is seen where no widgets run, and can be saved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from glassformer.app.panels.panel import PAGES, Panel, panels_of
from glassformer.app.runs.opened_files import model_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.takeaway.document import panel_page
from glassformer.app.takeaway.draw import draw_panel
from glassformer.app.words import say
from glassformer.core.trace.trace import Trace

OF_A_RUN = ("vectors", "decoding", "switch")  # the panels of others have their page before the name
COMPUTED = ("switch", "training")  # pages that show runs of the model on screen alone
HEIGHT = 720  # pixels, until it is drawn


@dataclass(frozen=True)
class PanelPicture:
    """A panel of the app, drawn."""

    name: str
    page: bytes

    def _repr_html_(self) -> str:
        held = escape(self.page.decode())
        style = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe title="{escape(self.name)}" style="{style}" srcdoc="{held}"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the picture as a page of HTML that opens without a network."""
        Path(path).write_bytes(self.page)


def panel_name(panel: Panel) -> str:
    """What `trace.show` calls a panel: `lens`, `masks`, `lab_masks`, `training_film`."""
    return panel.id if panel.page in OF_A_RUN else f"{panel.page}_{panel.id}"


def panel_names() -> dict[str, Panel]:
    """All panels by these names."""
    return {panel_name(panel): panel for page in PAGES for panel in panels_of(page).values()}


def panel_picture(
    trace: Trace, name: str, theme: str = "light", language: str = LANGUAGES[0], **fields: Any
) -> PanelPicture:
    """A panel of the app for a run, as its page shows it.

    Args:
        trace: the run. The panels of Switch and Training compute its text anew, with its model.
        name: of the panel, one of `panel_names`.
        theme: "light" or "dark".
        language: of its words, one of `LANGUAGES`.
        fields: of the app's state, as in its links: `stack="decoder"`, `layer=1`, `head=2`.

    Raises:
        AttributeError: there is no such panel.
        TypeError: the state has no field of that name, or the field cannot hold the value.
        GlassformerError: takeaway_large.
    """
    panels = panel_names()
    if name not in panels:
        raise AttributeError(f"no panel is called {name!r}; there are {', '.join(panels)}")
    panel = panels[name]
    model = model_of(trace)
    of_run = {
        "text": trace.source_text, "text_pair": trace.text_pair,
        "direction": trace.direction or "auto", "theme": theme, "language": language,
        PAGES[panel.page][0]: panel.id,
    }  # fmt: skip
    if model is not None:
        of_run |= {"model": model[0], "step": model[1]}
    query = State(**of_run | fields).to_query()
    _, refused = State.from_query(query)
    if refused:
        raise TypeError(f"the state cannot hold {', '.join(refused)}")
    shown = None if model is not None and panel.page in COMPUTED else trace
    screen = draw_panel(panel.page, query, shown)
    return PanelPicture(name, panel_page(say(panel.title, language), screen, language, theme))


class PanelPictures:
    """What `trace.show` is: called with an address a heat map, its attributes the panels."""

    def __init__(self, trace: Trace, heat_map: Callable[..., Any]) -> None:
        self._trace, self._heat_map = trace, heat_map

    def __call__(self, address: str, **how: Any) -> Any:
        """A recorded tensor as a heat map; see `widgets.show`."""
        return self._heat_map(self._trace, address, **how)

    def __getattr__(self, name: str) -> Callable[..., PanelPicture]:
        if name not in panel_names():
            raise AttributeError(
                f"no panel is called {name!r}; there are {', '.join(panel_names())}"
            )
        return partial(panel_picture, self._trace, name)

    def __dir__(self) -> list[str]:
        return [*panel_names()]

"""The panels of the app as pictures of a run: `trace.show.attribution()` in a notebook.

A picture is a page of HTML in a frame: it is seen where no widgets run, and can be saved.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from streamlit import config
from streamlit.logger import set_log_level

from glassformer.app.panels.panel import PAGES, Panel, panels_of
from glassformer.app.runs.models import get_model
from glassformer.app.runs.opened_files import model_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.takeaway.document import panel_page
from glassformer.app.takeaway.draw import draw_panel
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.tools.number_trail import NumberTrail, number_trail
from glassformer.core.trace.results import Picture as HtmlPicture
from glassformer.core.trace.trace import Trace

OF_A_RUN = ("vectors", "decoding", "switch")  # the panels of others have their page before the name
COMPUTED = ("switch", "training")  # pages that show runs of the model on screen alone
HEIGHT = 720  # pixels, until it is drawn


@dataclass(frozen=True)
class PanelPicture:
    """A panel of the app, drawn."""

    name: str
    page: bytes = field(repr=False)

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


def cross_attention_table(trace: Trace, layer: int | None, head: int | None) -> HtmlPicture:
    """The weights that `lines` draws, as HTML.

    layer: the last one with None. head: the mean of all heads with None.
    """
    at = trace.config.decoder_layers - 1 if layer is None else layer
    held = {} if head is None else {"head": head}
    weights = trace.sel(f"decoder/{at}/cross_attention/weights", **held)
    return (weights.over("head") if head is None else weights).picture()


class PanelPictures:
    """What `trace.show` is: called with an address a heat map, its attributes the panels."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        # No server runs here, and its warnings of that say nothing to a reader.
        config.set_option("logger.level", "error")
        set_log_level("ERROR")

    def __call__(self, address: str, **how: Any) -> Any:
        """A recorded tensor as a heat map; see `widgets.show`. Without anywidget as a table."""
        try:
            from glassformer.app.takeaway import widgets  # late: panels need no widgets
        except ImportError:
            held = {name: at for name, at in how.items() if name not in ("theme", "language")}
            return self._trace.sel(address, **held).picture()
        return widgets.show(self._trace, address, **how)

    def lines(self, layer: int | None = None, head: int | None = None, **how: Any) -> Any:
        """Words joined by cross-attention; see `widgets.lines_widget`.

        Without anywidget the weights as a table.
        """
        try:
            from glassformer.app.takeaway import widgets
        except ImportError:
            return cross_attention_table(self._trace, layer, head)
        return widgets.lines_widget(self._trace, layer, head, **how)

    def trail(self, address: str, **at: int | str) -> NumberTrail:
        """Where a number of the run comes from; see `core.tools.number_trail.number_trail`.

        Errors: GlassformerError `trail_model` for the run of a model that is not here.
        """
        transformer = self._trace.transformer
        if transformer is None:
            if (found := model_of(self._trace)) is None:
                raise GlassformerError("trail_model", name=self._trace.model_name)
            transformer = get_model(*found).transformer
        return number_trail(self._trace, transformer, address, **at)

    def __repr__(self) -> str:
        return f"<pictures of a run: {', '.join(dir(self))}; or one of a tensor, (address)>"

    def __getattr__(self, name: str) -> Callable[..., PanelPicture]:
        if name not in panel_names():
            raise AttributeError(
                f"no panel is called {name!r}; there are {', '.join(panel_names())}"
            )
        return partial(panel_picture, self._trace, name)

    def __dir__(self) -> list[str]:
        return ["lines", "trail", *panel_names()]

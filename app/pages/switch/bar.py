"""The experiment on top of the page: its switches, ways back; what is kept, compared and shared."""

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from glassformer.app.pages.switch import compared
from glassformer.app.panels.phrases import experiment_line, phrase
from glassformer.app.plots.labels import shorten_text
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.ui.component import component
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import small_button
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.switch import Switch

ROOM = 330  # pixels of the kept ones; more of them scroll
LONGEST = 60  # characters of what a kept one switches
FILE_NAME = "glassformer-experiment.json"  # `app/panels/opening` opens it

_chips = component(__file__, "chips")


def show() -> None:
    """Draw the row: chips on the left, buttons on the right."""
    row = {"horizontal": True, "gap": "xsmall", "vertical_alignment": "center", "wrap": False}
    with box("dense rows-2", "switch_bar", **row):
        with st.container(key="switch_bar_chips", width="stretch"):
            chips = [_chip(each) for each in experiments.current_experiment().switches]
            texts = {"empty": say("experiment.empty"), "takeOut": say("experiment.take_out")}
            _chips("switch_chips", {"chips": chips, **texts}, out=_take_out)
        now, language = experiments.current_experiment(), store.get_state().language
        can = experiments.can_undo(), experiments.can_redo(), bool(now)
        keep("ways", _ways, language, *can)
        named = tuple((name, each.text) for name, each in experiments.named_experiments().items())
        memory = store.memory()
        shows = now.text, memory.experiment_name, memory.experiments_written.full
        keep("experiments", _kept, language, *shows, *named)
        compared.show_button()
        _share()


def _chip(switch: Switch) -> dict[str, str]:
    """What a chip says, what it stands for, and why it is greyed ("": it is not)."""
    if switch in on_screen.left_out():
        return {"text": phrase(switch), "id": switch.text, "greyed": say("experiment.misfit")}
    run = on_screen.trace_on_screen()
    words = {"source": run.source_tokens, "target": run.target_tokens}
    return {"text": phrase(switch, words=words), "id": switch.text, "greyed": ""}


def _take_out(text: str) -> None:
    experiments.switch_to(experiments.current_experiment().keeping(lambda each: each.text != text))


def _ways() -> None:
    ways = (
        ("undo", "undo", experiments.undo_experiment, experiments.can_undo()),
        ("redo", "redo", experiments.redo_experiment, experiments.can_redo()),
        (
            "reset",
            "restart_alt",
            experiments.reset_experiment,
            bool(experiments.current_experiment()),
        ),
    )
    for name, icon, act, possible in ways:
        st.button(
            f":material/{icon}:",
            key=f"widget_bar_{name}",
            type="tertiary",
            help=say(f"experiment.{name}_help"),
            disabled=not possible,
            on_click=act,
        )


def _kept() -> None:
    """Experiments that the reader named and kept: keep, go back to one, forget it."""
    kept = experiments.named_experiments()
    label = say("experiment.kept", count=len(kept)) if kept else say("experiment.keep_first")
    with st.popover(
        label, key="switch_kept", icon=":material/bookmark:", help=say("experiment.kept_help")
    ):
        _name()
        if store.memory().experiments_written.full:
            st.caption(say("experiment.browser_full"))
        with st.container(height=ROOM if len(kept) > 4 else "content", border=False, gap="xsmall"):
            for at, (name, experiment) in enumerate(reversed(kept.items())):
                _kept_row(at, name, experiment)


def _name() -> None:
    def take() -> None:
        store.memory().experiment_name = store.widget_value("experiment_name") or ""

    with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="bottom"):
        st.text_input(
            say("experiment.name"),
            **store.bind("experiment_name", store.memory().experiment_name),
            max_chars=experiments.LONGEST_NAME,
            placeholder=say("experiment.name_hint"),
            disabled=not experiments.current_experiment(),
            on_change=take,
        )
        st.button(
            say("experiment.keep"),
            key="widget_keep",
            disabled=not experiments.current_experiment(),
            on_click=_keep_typed,
        )


def _keep_typed() -> None:
    """Keep the present experiment under what was typed, or under its own line."""
    now = experiments.current_experiment()
    if now:
        experiments.keep_experiment(store.memory().experiment_name.strip() or experiment_line(now))
        store.memory().experiment_name = ""


def _kept_row(at: int, name: str, experiment: Experiment) -> None:
    said = experiment_line(experiment)
    with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="center"):
        st.button(
            f"**{literal(name)}**  \n:small[{literal(shorten_text(said, LONGEST))}]",
            key=f"widget_load_{at}",
            help=say("experiment.load_help"),
            width="stretch",
            on_click=partial(experiments.switch_to, experiment),
        )
        forget = partial(experiments.forget_experiment, name)
        small_button("×", f"forget_{at}", say("experiment.forget_help"), forget)


def _share() -> None:
    """The experiment as a link and as a file."""
    with st.popover(
        say("experiment.share"),
        key="switch_share",
        icon=":material/share:",
        help=say("experiment.share_help"),
    ):
        st.markdown(f"**{say('experiment.link')}**")
        query = store.link()
        if "edits" in store.fields_not_linked():
            st.caption(say("experiment.link_long"))
        else:
            page = (st.context.url or "").partition("?")[0]
            st.code(f"{page}?{urlencode(query)}", language=None, height=70)
        now, screen, model = (
            experiments.current_experiment(),
            store.get_state(),
            on_screen.plain_model(),
        )
        kept = (
            name
            for name, each in experiments.named_experiments().items()
            if each.switches == now.switches
        )
        named = Experiment(now.switches, next(kept, ""))
        asked = ("text", "text_pair", "direction", "second")
        sentence = {name: getattr(screen, name) for name in asked}
        st.download_button(
            say("experiment.download"),
            lambda: named.to_json(model, sentence),
            file_name=FILE_NAME,
            mime="application/json",
            key="widget_experiment_download",
            help=say("experiment.download_help"),
            icon=":material/download:",
            disabled=not now,
            width="stretch",
            on_click="ignore",
        )

"""First line of the stage bar: the sentence, one beside it, examples, direction and model."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import streamlit as st

from glassformer.app.panels.address_words import format_bytes
from glassformer.app.panels.opening import opening
from glassformer.app.runs import library, untrained
from glassformer.app.runs.kept_models import plain_name
from glassformer.app.runs.models import (
    has_chat,
    is_opened,
    keeps_lines,
    selectable_models,
    takes_pairs,
    task_of,
)
from glassformer.app.session import store
from glassformer.app.session.state import DIRECTIONS, State
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import box
from glassformer.app.ui.lines import allow_line_breaks, in_one_line, with_lines
from glassformer.app.ui.pick import menu, small_button
from glassformer.app.ui.text import list_left_aside, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.weights.tokenizers.pieces import LINE

EXAMPLES = Path(__file__).parents[2] / "assets" / "sentences" / "examples.json"

NARROW, WIDE = 150, 308  # pixels of a menu
DOOR = "/"  # in the menu of models: how others are opened; no model has this name


@dataclass(frozen=True)
class ExampleSentence:
    """A sentence worth looking at; why is said in `sentences.<id>`."""

    id: str
    text: str
    direction: str
    beside: str = ""  # the id of the one that differs from it in what decides
    task: str = "translate"  # what the models do for which it stands in the menu


@cache
def example_sentences() -> tuple[ExampleSentence, ...]:
    """All examples in the order of the file."""
    rows = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return tuple(ExampleSentence(**row) for row in rows)


def examples_for(task: str) -> tuple[ExampleSentence, ...]:
    """Those for a model: beginnings for one that goes on with a text, else sentences."""
    wanted = task if task == "continue" else "translate"
    return tuple(each for each in example_sentences() if each.task == wanted)


def show() -> None:
    """Draw the line; what the user changes goes into the state."""
    now = store.get_state()
    with st.container(horizontal=True, gap="xsmall", key="stage_sentence", wrap=False):
        _input("sentence", say("frame.sentence"), now.text, "text", _hint(now.model))
        if takes_pairs(now.model):
            _input("text_pair", say("frame.text_pair"), now.text_pair, "text_pair",
                   say("frame.text_pair_hint"))  # fmt: skip
        if has_chat(now.model):
            _chat(now)
        _second(now)
        models = _model_labels()
        shown = (now.language, now.size, now.direction, now.model, *models.items())
        keep("menus", lambda: _menus(now, models), *shown)
        if keeps_lines(now.model):
            allow_line_breaks()


def _menus(now: State, models: dict[str, str]) -> None:
    """Examples, the direction, the models by their labels, a door to others' models."""
    notes = {example: _example_label(example) for example in examples_for(task_of(now.model))}
    st.menu_button(
        say("frame.examples"),
        tuple(notes),
        key="widget_example",
        format_func=notes.__getitem__,
        on_click=_pick_example,
    )
    if not is_opened(now.model):  # another's was trained to write one language
        directions = {name: say(f"frame.direction_{name}") for name in DIRECTIONS}
        _choice("direction", now.direction, directions)
    _choice("model", now.model, {**models, DOOR: say("frame.other_models")})
    if not is_opened(now.model):  # whoever has one open found the way
        with box("wide-only", "door", width="content"):
            small_button("GPT-2…", "door", say("frame.other_models"), opening.ask)


def _chat(now: State) -> None:
    """The switch that sends the text in the model's chat template; its help shows what is sent."""
    shown = store.memory().shown
    sent = shown.trace.sent if shown and now.chat == "on" else ""
    about = say("frame.chat_help")
    if sent:  # as a block of code, which its own marks do not end
        fence = "`" * (2 + max(map(len, re.findall("`+", f"`{sent}"))))
        lines = in_one_line(sent).replace(LINE, f"{LINE}\n")
        about = f"{say('frame.chat_sent')}\n\n{fence}text\n{lines}\n{fence}"
    st.toggle(
        say("frame.chat"), **store.bind("chat", now.chat == "on"), help=about, width="content",
        on_change=lambda: store.update(chat="on" if store.widget_value("chat") else "off"),
    )  # fmt: skip


def _hint(model: str) -> str:
    """What to type: a text for what the model does with it."""
    return say(f"frame.hint_{task_of(model)}") if is_opened(model) else say("frame.sentence_hint")


def tell_opening(model: str) -> Callable[[], object]:
    """Say that a model is being opened and what memory it takes, before any is spent.

    Returns what says that it is over. Nothing is said of one that is open, or that cannot be.
    """
    if not is_opened(model) or library.is_open(model):
        return lambda: None
    facts = library.facts_of_model(model)
    if isinstance(facts, GlassformerError):
        return lambda: None
    name, memory = literal(model), format_bytes(facts.nbytes)
    told = st.toast(
        say("frame.opening", name=name, size=memory), icon="spinner", duration="infinite"
    )
    left = literal(" · ".join(list_left_aside(facts.left_aside)))

    def tell_outcome() -> None:
        if library.is_open(model):
            over = say("frame.opened", name=name) + (f" ({left})" if left else "")
            told.toast(over, icon=":material/check:")
        else:  # the stage bar says why
            told.toast(say("frame.not_opened", name=name), icon=":material/error:")

    return tell_outcome


def _model_labels() -> dict[str, str]:
    """The models by their names; an untrained one by its sizes, of two alike with a number.

    One of the operator's folder with what it does and takes, or why it cannot be opened.
    """
    labels: dict[str, str] = {}
    for name in selectable_models() or ("",):
        label = _facts(name) if is_opened(name) else plain_name(name)
        if untrained.is_untrained(name):
            label = say("frame.untrained", **untrained.read_blueprint(name).settings)
        taken = sum(each == label or each.startswith(f"{label} (") for each in labels.values())
        labels[name] = f"{label} ({taken + 1})" if taken and label != name else label
    return labels


def _facts(name: str) -> str:
    found = library.facts_of_model(name)
    if isinstance(found, GlassformerError):
        return say("frame.model_closed", name=name, why=say(f"errors.{found.key}", **found.values))
    parts = [
        say("frame.weights", count=in_words(found.parameters)),
        say(f"frame.does_{found.task}"),
        found.licence or say("frame.no_licence"),
        say("frame.memory", size=format_bytes(found.nbytes)),
    ]
    return " · ".join([name, *parts, *list_left_aside(found.left_aside)])


def in_words(count: int) -> str:
    """A number of weights with three digits: "74 M"."""
    for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if count >= size * 0.9995:
            return f"{count / size:.3g} {unit}"
    return str(count)


def _second(now: State) -> None:
    """A sentence beside the first: a button that opens its input, and one that closes it."""
    if not (now.second or store.memory().second_open):
        about = say("experiment.second_open")
        open_it = partial(small_button, ":material/add:", "second_open", about, _open_second)
        keep("second_open", open_it, about)
        return
    # It begins as the first sentence: most often one word is to be another.
    _input("second", say("experiment.second"), now.second or now.text, "second",
           say("experiment.second_hint"))  # fmt: skip
    small_button("×", "second_close", say("experiment.second_close"), _close_second)


def _input(widget: str, label: str, value: str, field: str, hint: str) -> None:
    def draw() -> None:
        st.text_input(
            label, **store.bind(widget, in_one_line(value)),
            placeholder=hint, label_visibility="collapsed",
            on_change=lambda: _take(field, with_lines(store.widget_value(widget))),
        )  # fmt: skip

    keep(widget, draw, label, value, hint)


def _take(field: str, text: str) -> None:
    store.memory().second_new = field == "second"
    store.update(**{field: text})


def _open_second() -> None:
    store.memory().second_open = True
    if other := neighbouring_example(store.get_state().text):
        _take("second", other)


def neighbouring_example(text: str) -> str:
    """The example that one stands beside, as the tired and the wide one do; "" for any other."""
    found = {each.id: each for each in example_sentences()}
    other = next((e.beside for e in found.values() if _letters(e.text) == _letters(text)), "")
    return found[other].text if other else ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _close_second() -> None:
    store.memory().second_open = False
    store.update(second="", run="")


def _choice(name: str, value: str, labels: dict[str, str]) -> None:
    # Another language, another widget: a box in the browser keeps the label it shows.
    widget = f"{name}_{store.get_state().language}"
    chosen = value if value in labels else next(iter(labels))

    def take(picked: str) -> None:
        # Where the labels have changed, the browser may send one from before: no choice.
        if picked == DOOR:
            opening.ask()
        elif picked in labels:
            store.update(**{name: picked})

    # Where another's model needs no direction its facts have that room.
    room = WIDE if name == "model" and is_opened(value) else NARROW
    width = room * store.get_state().size // 100
    menu(widget, say(f"frame.{name}"), labels, chosen, take, width=width)


def _pick_example() -> None:
    chosen = store.widget_value("example")
    if chosen is not None:
        store.update(text=chosen.text, text_pair="", direction="auto")


def _example_label(example: ExampleSentence) -> str:
    return f"{literal(example.text)} :gray[:small[{literal(say(f'sentences.{example.id}'))}]]"

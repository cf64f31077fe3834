"""The bench that builds a model: every convention a switch, what it makes of it beside."""

from typing import Any, NamedTuple

import streamlit as st

from glassformer.app.pages.lab import inputs, kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.model.figures import (
    counts_table,
    drawn_figure,
    module_tree,
    reach_of,
    reach_tables,
)
from glassformer.app.runs import untrained
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import store
from glassformer.app.ui import pick
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_choice, read_whole_number
from glassformer.core.lab.untrained import CHOICES, NOTES, WHOLE, Blueprint, blueprint
from glassformer.core.lab.untrained_views import NOTES_IDS, NOTES_WORDS, Drawn, Ids

SIGNS = {"encoder_layers": "N", "decoder_layers": "M", "d_model": "D", "n_heads": "H",
         "d_ff": "F", "max_length": "L", "norm_epsilon": "ε", "gamma": "γ",
         "norm_initial_shift": "β"}  # fmt: skip
ROLES = {"n_heads": "weights", "mask_fill": "weights", "attention_bias": "weights",
         "tie_attention": "weights", "d_ff": "feed_forward", "activation": "feed_forward",
         "norm_place": "norm", "norm_formula": "norm", "norm_epsilon": "norm", "gamma": "norm",
         "norm_initial_shift": "norm", "final_norm": "norm"}  # fmt: skip
IDS = ("notes", "sentence")
PAPER = {"d_ff": 2048, "start": "xavier", "norm_place": "post", "norm_formula": "population",
         "norm_epsilon": 1e-5, "norm_initial_shift": 0.0, "share_embeddings": "on",
         "tie_generator": "on"}  # fmt: skip
SMALL = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64}
PRESETS: dict[str, dict[str, Any]] = {
    "notes": dict(NOTES),
    "final": {**NOTES, "final_norm": "on"},
    "paper": {**NOTES, **PAPER},
    "small": {**NOTES, **PAPER, **SMALL},
}
VIEWS = ("ranges", "modules", "counts", "start")
MATRICES = ("embedding", "W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "generator")


def _field(name: str) -> Field:
    given: dict[str, Any] = {"label": SIGNS.get(name, ""), "role": ROLES.get(name, "data")}
    if name in CHOICES:
        given |= {"kind": "choice", "options": CHOICES[name]}
    elif name in WHOLE:
        given |= dict(zip(("low", "high"), WHOLE[name], strict=True)) | {"step": 1}
    return Field(name, original=NOTES[name], **given)


FIELDS = (Field("ids", "", "notes", "choice", options=IDS), *map(_field, NOTES))


class Built(NamedTuple):
    """What the inputs say, and the ids that are run through it."""

    plan: Blueprint
    source: Ids
    target: Ids


def show() -> None:
    """The switches, and beside them the model that they make."""
    put_sheet(__file__, "model.css")
    texts = kit.draw_bench_head("model")
    kit.draw_presets("model", PRESETS)
    left, right = st.columns([1, 2.2], gap="medium")
    with left, box("fill scroll", "lab_model_switches"):
        built = kit.compute_from_inputs("model", FIELDS, _built).result
    with right, box("fill", "lab_model_seen", gap="xsmall"):
        with side_by_side("lab_model_line"):
            view = _view()
            _use(built.plan)
        _show(view, built, texts)


def _built(ids: Any, **typed: Any) -> Built:
    if read_choice("ids", ids, IDS) == "notes":
        return Built(blueprint(NOTES_WORDS, **typed), NOTES_IDS, NOTES_IDS)
    now = store.get_state()
    trace = get_trace(now.own_text, now.direction)
    sides = (trace[f"{side}/ids"].tolist() for side in ("source", "target"))
    source, target = (tuple(map(tuple, rows)) for rows in sides)
    return Built(blueprint(_words(), **typed), source, target)


def _view() -> str:
    """What is seen of the model, picked and kept in the link."""
    view = inputs.inputs_of_link("model_view").get("view", VIEWS[0])
    if view not in VIEWS:
        inputs.drop_inputs("model_view")

    def take(picked: str) -> None:
        inputs.remember_inputs("model_view", {"view": picked}, {"view": VIEWS[0]})

    pick.draw_choice("lab_model_view", "lab_model.view", VIEWS, view, take)
    return str(view)


def _words() -> int:
    return len(get_model().vocabulary)


def _use(plan: Blueprint) -> None:
    """The button that makes it the model of all pages; with the app's words it is another size."""
    name = untrained.name_of(plan)
    used = store.get_state().model == name
    label = say("lab_model.used" if used else "lab_model.use")
    tip, too_large = say("lab_model.use_help", words=f"{_words():,}"), False
    try:
        blueprint(_words(), **plan.settings)
    except GlassformerError as error:
        tip, too_large = format_error(error), True
        st.caption(tip)
    off = used or too_large
    if st.button(label, key="lab_model_use", type="primary", disabled=off, help=tip):
        untrained.use_blueprint(plan)
        st.rerun()  # the stage bar, too


def _show(view: str, built: Built, texts: dict[str, str]) -> None:
    plan, look = built.plan, current_look()
    if view == "start":
        _start(plan, texts)
        return
    found = untrained.look_into(plan, built.source, built.target)
    if view == "modules":
        line, html = texts["told_modules"], module_tree(found.tree, texts)
    elif view == "counts":
        line, html = texts["told_counts"], counts_table(plan.config, found.counted, texts)
    else:
        own = plan.start == "torch" and plan.config.embedding_scale
        ends = {
            "first": reach_of(found, "encoder", False),
            "last": reach_of(found, "encoder", True),
        }
        line = say("lab_model.told_ranges", **ends)
        if own:
            root = look.number(plan.config.d_model**0.5)
            line += say("language.gap") + say("lab_model.told_own", root=root)
        html = reach_tables(found, texts, look)
    st.markdown(line)
    with box("fill scroll", "lab_model_list"):
        st.html(html)


def _start(plan: Blueprint, texts: dict[str, str]) -> None:
    """One matrix as it was drawn."""
    most = max(plan.config.encoder_layers, plan.config.decoder_layers)
    fields = (
        Field("matrix", "", "W_Q", "choice", "weights", options=MATRICES),
        Field("stack", "", "encoder", "choice", options=("encoder", "decoder", "cross")),
        Field("layer", "", 1, low=1, high=most, step=1),
    )

    def compute(matrix: Any, stack: Any, layer: Any) -> Drawn:
        return untrained.drawn_in(plan, matrix_name(plan, matrix, stack, layer))

    with st.container(gap=None):
        look, found = current_look(), kit.compute_from_inputs("model_start", fields, compute).result
    texts = texts | {"bound": "√(6 / (fan_in + fan_out)) =", "own_bound": "1 / √fan_in ="}
    rows, columns = found.shape
    given = {"rows": rows, "columns": columns, "outside": f"{found.outside:,}"}
    numbers = {"low": found.ends[0], "high": found.ends[1], "std": found.std,
               "bound": found.xavier, "even": found.xavier / 3**0.5}  # fmt: skip
    given |= {name: look.number(value) for name, value in numbers.items()}
    st.markdown(say("lab_model.told_start", **given))
    with box("fill", "lab_chart"):
        show_chart(drawn_figure(found, texts, look), "lab_model_chart", texts["alt"], fill=True)


def matrix_name(plan: Blueprint, matrix: Any, stack: Any, layer: Any) -> str:
    """A matrix as the model's own code calls it. Errors: those of `core.lab.inputs`."""
    matrix = read_choice("matrix", matrix, MATRICES)
    stack = read_choice("stack", stack, ("encoder", "decoder", "cross"))
    if matrix in ("embedding", "generator"):
        table = "target" if stack == "decoder" else "source"
        own = matrix == "generator" and not plan.config.tie_generator
        return "generator.weight" if own else f"{table}_embedding.table.weight"
    layers = plan.config.encoder_layers if stack == "encoder" else plan.config.decoder_layers
    at = read_whole_number("layer", layer, 1, layers) - 1
    part = "cross_attention" if stack == "cross" else "self_attention"
    part = "feed_forward" if matrix in ("W_1", "W_2") else part
    side = "encoder" if stack == "encoder" else "decoder"
    return f"{side}.layers.{at}.{part}.{matrix.lower()}.weight"

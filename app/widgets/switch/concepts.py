"""Concepts: the steps and conventions of the paper, each with a switch."""

from __future__ import annotations

from collections.abc import Mapping

from app import experiments, service, state
from app.figures.labels import format_number
from app.widgets.chart import current_look
from app.widgets.switch.concept_table import (
    GROUPS,
    PLAIN_TEMPERATURE,
    Concept,
    Values,
    concepts,
    options,
)
from app.widgets.switch_rows import Choice, Group, Row, switch_rows
from app.words import say
from core.config import ModelConfig
from core.edits import Experiment
from core.edits.switch import Switch
from core.edits.variants import with_config
from core.errors import GlassformerError
from core.translator import Translator

ABOVE = "15.2rem"  # what the frame and the line of groups take of the window
KINDS = {"by": "slider", "draw": "number"}


def show() -> None:
    """Draw a row for every concept, in groups."""
    model = service.plain_model()
    rows = concepts(model.config)
    refused: tuple[str, GlassformerError] | None = state.kept("concept_refused")
    groups = [
        Group(
            say(f"switch_concepts.group_{group}"),
            [_row(each, model, refused) for each in rows if each.group == group],
        )
        for group in GROUPS
    ]
    switch_rows(groups, say("switch_concepts.label"), current_look(), ABOVE, take)


def take(name: str, on: bool, values: Mapping[str, str]) -> None:
    """Switch a concept on, with its choices, or off; what cannot be run is said in its row."""
    state.keep("concept_refused", None)
    model = service.plain_model()
    row = next(each for each in concepts(model.config) if each.name == name)
    rest = row.without(experiments.now())
    was_on = row.found(experiments.now()) is not None
    if not on or (was_on and values.get("by") == PLAIN_TEMPERATURE):
        experiments.put(rest)
        return
    given = {**row.first, **values}
    if given.get("by") == PLAIN_TEMPERATURE:
        given["by"] = row.first["by"]
    try:
        switch = row.switch(given)
        check(rest.having(switch), switch, model)
    except GlassformerError as error:
        state.keep("concept_refused", (name, error))
        return
    experiments.put(rest.having(switch))


def check(experiment: Experiment, switch: Switch, model: Translator) -> None:
    """Raises `GlassformerError` where the model, its weights or the sentence do not allow it."""
    trace = service.on_screen()
    switch.check(model.config, len(trace.source_tokens), len(trace.target_tokens))
    with_config(model, experiment.config(model.config))


def _row(row: Concept, model: Translator, refused: tuple[str, GlassformerError] | None) -> Row:
    found = row.found(experiments.now())
    problem = told_here(refused[1]) if refused and refused[0] == row.name else ""
    if found and not problem and found[0] not in service.experiment():
        problem = _misfit(found[0], model)
    values = _values(row, found[1] if found else None)
    return Row(
        row.name,
        say(f"switch_concepts.name_{row.name}"),
        about(row.name, model.config),
        found is not None,
        [_choice(row, name, values) for name in row.choices],
        problem,
    )


def _values(row: Concept, given: Values | None) -> Values:
    """What the choices of a row show: what is switched, or what they start with."""
    if given is not None:
        return {**row.first, **given}
    return {**row.first, **({"by": PLAIN_TEMPERATURE} if "by" in row.choices else {})}


def _misfit(switch: Switch, model: Translator) -> str:
    try:
        check(Experiment((switch,)), switch, model)
    except GlassformerError as error:
        return told_here(error)
    return ""


def told_here(error: GlassformerError) -> str:
    """Why a row cannot be switched so, as plain text."""
    if error.key == "experiment_value" and error.values.get("given") == "learned":
        return say("switch_concepts.no_learned")
    if error.key == "edit_unmatched":
        return say("switch_concepts.no_part")
    return say(f"errors.{error.key}", **error.values)


def about(name: str, config: ModelConfig) -> str:
    """A line on a concept, with its section of the paper and this model's numbers."""
    sizes = {
        "d_k": config.d_k,
        "root_k": format_number(config.d_k**0.5),
        "d_model": config.d_model,
        "root_model": format_number(config.d_model**0.5),
        "d_ff": config.d_ff,
    }
    return say(f"switch_concepts.about_{name}", **sizes)


def _choice(row: Concept, name: str, values: Values) -> Choice:
    label = say(f"switch_concepts.choice_{name}")
    listed = [(each, _option(name, each)) for each in options(row, name)]
    kind = KINDS.get(name, "list")
    hidden = name == "draw" and values.get("variant", "shuffled") != "shuffled"
    if kind == "list" and values[name] not in dict(listed):  # as a link gave it
        listed.append((values[name], values[name]))
    return Choice(name, label, kind, listed, values[name], hidden)  # type: ignore[arg-type]


def _option(name: str, value: str) -> str:
    if name in ("by", "rate"):
        return format_number(float(value)).rstrip("0").rstrip(".")
    if name == "where" and value[-1].isdecimal():
        stack, _, layer = value.partition("/")
        return say(f"switch_concepts.where_{stack}_layer", layer=int(layer) + 1)
    key = {"*": "all", "encoder/*": "encoder", "decoder/*": "decoder"}.get(value, value)
    return say(f"switch_concepts.{name}.{key}")

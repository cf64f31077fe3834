"""Concepts: the steps and conventions of the paper, each with a switch and its choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from app.pages.switch.switch_rows import Choice, Group, Row, switch_rows
from app.plots.labels import format_number
from app.runs import on_screen
from app.session import experiments, store
from app.ui.chart import current_look
from app.ui.layout import box
from app.words import say
from core.config import Activation, ModelConfig, NormPlace, Positions
from core.errors import GlassformerError
from core.interventions import Experiment
from core.interventions.concepts import (
    ActivationIs,
    Dropout,
    EmbeddingScale,
    NormFormulaIs,
    NormOff,
    NormPlaceIs,
    PositionTable,
    ResidualOff,
    Shuffled,
    SublayerOff,
    Temperature,
    Unscaled,
)
from core.interventions.experiment import with_config
from core.interventions.parts import Parts
from core.interventions.switch import Switch
from core.trace.address import SUBLAYERS, Address
from core.translator import Translator

Values = Mapping[str, str]
KINDS = {"by": "slider", "draw": "number"}  # of choices; the others are lists
GROUPS = ("attention", "words", "layers", "norms")
ALL = "*"
TABLES: tuple[Positions, ...] = ("none", "paper", "notes", "halves", "learned")
ACTIVATIONS: tuple[Activation, ...] = ("relu", "gelu", "gelu_tanh")
TEMPERATURES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
RATES = (0.05, 0.1, 0.2, 0.3, 0.5)
PLAIN_TEMPERATURE = "1.0"
NORMS = (ALL, "self_attention_norm", "cross_attention_norm", "feed_forward_norm")


@dataclass(frozen=True)
class Concept:
    """One row.

    switch: of the values of its choices. values: of a switch, None for one of another row.
    choices: by name the options, the first of which is taken when it is switched on; a choice
    without options is a whole number.
    """

    name: str
    group: str
    switch: Callable[[Values], Switch]
    values: Callable[[Switch], Values | None]
    choices: Mapping[str, Sequence[str]]

    def found(self, experiment: Experiment) -> tuple[Switch, Values] | None:
        """The last switch of this row, and its values."""
        for each in reversed(experiment.switches):
            values = self.values(each)
            if values is not None:
                return each, values
        return None

    def without(self, experiment: Experiment) -> Experiment:
        """The experiment with nothing of this row."""
        kept = tuple(each for each in experiment.switches if self.values(each) is None)
        return replace(experiment, switches=kept)

    @property
    def first(self) -> Values:
        """The values that it is switched on with."""
        return {name: options[0] if options else "1" for name, options in self.choices.items()}


def concepts(config: ModelConfig) -> tuple[Concept, ...]:
    """Every row for a model, in order; `config` is that of the model without any switch."""
    both, decoder = _scopes(config), _scopes(config, ("decoder",))
    scaled, sample = config.embedding_scale, config.norm_formula == "population"
    by = ("2.0", *map(str, TEMPERATURES))
    norm = NormFormulaIs("sample" if sample else "population")
    return (
        _of_parts("unscaled", "attention", Unscaled, both),
        _of_parts("temperature", "attention", Temperature, both, by=by),
        _of_parts("no_self_attention", "attention", SublayerOff, both, ("self_attention",)),
        _of_parts("no_cross_attention", "attention", SublayerOff, decoder, ("cross_attention",)),
        _positions(config),
        _on_or_off(
            "no_embedding_scale" if scaled else "embedding_scale",
            "words",
            EmbeddingScale(not scaled),
        ),
        _of_parts("no_feed_forward", "layers", SublayerOff, both, ("feed_forward",)),
        _activation(config),
        _of_parts("no_residual", "layers", ResidualOff, both, (ALL, *SUBLAYERS)),
        _dropout(),
        _of_parts("no_norm", "norms", NormOff, both, NORMS),
        _norm_place(config),
        _on_or_off("norm_sample" if sample else "norm_population", "norms", norm),
    )


def pattern(scope: str, part: str) -> str:
    """The parts of a scope (`*`, `encoder/*`, `encoder/0`): all, or those of one name."""
    if part == ALL:
        return scope if scope.endswith(ALL) else f"{scope}/*"
    return f"{scope}/{part}"


def options(concept: Concept, choice: str) -> Sequence[str]:
    """The options of a choice in the order of a list: each once."""
    listed = concept.choices[choice]
    return sorted(set(listed), key=float) if choice in ("by", "rate") else listed


def _scopes(config: ModelConfig, stacks: Sequence[str] = ("encoder", "decoder")) -> tuple[str, ...]:
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    whole = [f"{stack}/*" for stack in stacks] if len(stacks) > 1 else []
    return ALL, *whole, *(f"{stack}/{at}" for stack in stacks for at in range(layers[stack]))


def _of_parts(
    name: str,
    group: str,
    kind: type[Parts],
    scopes: Sequence[str],
    parts: Sequence[str] = (ALL,),
    by: Sequence[str] = (),
) -> Concept:
    """A switch for some parts of the model: of a scope, one of several parts, with a number."""
    places = {pattern(scope, part): (scope, part) for scope in scopes for part in parts}

    def make(given: Values) -> Switch:
        where = pattern(given["where"], given.get("part", parts[0]))
        return kind(where, float(given["by"])) if by else kind(where)  # type: ignore[call-arg]

    def values(switch: Switch) -> Values | None:
        if type(switch) is not kind or switch.where not in places:
            return None
        scope, part = places[switch.where]
        number = {"by": str(float(switch.by))} if isinstance(switch, Temperature) else {}
        return {"where": scope, "part": part, **number}

    choices = ({"by": by} if by else {}) | {"where": scopes}
    return Concept(name, group, make, values, choices | ({"part": parts} if parts[1:] else {}))


def _on_or_off(name: str, group: str, switch: Switch) -> Concept:
    """A switch that has no choices."""
    return Concept(name, group, lambda _: switch, lambda each: {} if each == switch else None, {})


def _positions(config: ModelConfig) -> Concept:
    def values(switch: Switch) -> Values | None:
        if isinstance(switch, Shuffled):
            return {"variant": "shuffled", "draw": str(switch.draw)}
        return {"variant": switch.variant} if isinstance(switch, PositionTable) else None

    def make(given: Values) -> Switch:
        if given["variant"] == "shuffled":
            return Shuffled(_draw(given))
        return PositionTable(cast(Positions, given["variant"]))

    others = [each for each in TABLES if each != config.positions]
    choices = {"variant": (*others[:1], "shuffled", *others[1:]), "draw": ()}
    return Concept("positions", "words", make, values, choices)


def _activation(config: ModelConfig) -> Concept:
    return Concept(
        "activation",
        "layers",
        switch=lambda given: ActivationIs(cast(Activation, given["name"])),
        values=lambda switch: {"name": switch.name} if isinstance(switch, ActivationIs) else None,
        choices={"name": [each for each in ACTIVATIONS if each != config.activation]},
    )


def _norm_place(config: ModelConfig) -> Concept:
    other: NormPlace = "pre" if config.norm_place == "post" else "post"
    own = "on" if config.final_norm else "off"

    def make(given: Values) -> Switch:
        return NormPlaceIs(other, None if given["final"] == own else given["final"] == "on")

    def values(switch: Switch) -> Values | None:
        if not isinstance(switch, NormPlaceIs) or switch.place != other:
            return None
        final = config.final_norm if switch.final_norm is None else switch.final_norm
        return {"final": "on" if final else "off"}

    choices = {"final": (own, "off" if own == "on" else "on")}
    name = "pre_norm" if other == "pre" else "post_norm"
    return Concept(name, "norms", make, values, choices)


def _dropout() -> Concept:
    def values(switch: Switch) -> Values | None:
        if not isinstance(switch, Dropout):
            return None
        return {"rate": str(float(switch.rate)), "draw": str(switch.draw)}

    return Concept(
        "dropout",
        "layers",
        switch=lambda given: Dropout(_draw(given), float(given["rate"])),
        values=values,
        choices={"rate": ("0.1", *map(str, RATES)), "draw": ()},
    )


def _draw(given: Values) -> int:
    return int(given.get("draw", "1"))


def show() -> None:
    """Draw a row for every concept, in groups."""
    model = on_screen.plain_model()
    rows = concepts(model.config)
    refused = store.memory().concept_refused
    groups = [
        Group(
            say(f"switch_concepts.group_{group}"),
            [_row(each, model, refused) for each in rows if each.group == group],
        )
        for group in GROUPS
    ]
    with box("fill", "switch_concepts"):
        switch_rows(groups, say("switch_concepts.label"), current_look(), take)


def take(name: str, on: bool, values: Mapping[str, str]) -> None:
    """Switch a concept on, with its choices, or off; what cannot be run is said in its row."""
    store.memory().concept_refused = None
    model = on_screen.plain_model()
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
        store.memory().concept_refused = (name, error)
        return
    experiments.put(rest.having(switch))


def check(experiment: Experiment, switch: Switch, model: Translator) -> None:
    """Raises `GlassformerError` where the model, its weights or the sentence do not allow it."""
    trace = on_screen.trace()
    switch.check(model.config, len(trace.source_tokens), len(trace.target_tokens))
    with_config(model, experiment.config(model.config))


def _row(row: Concept, model: Translator, refused: tuple[str, GlassformerError] | None) -> Row:
    found = row.found(experiments.now())
    problem = told_here(refused[1]) if refused and refused[0] == row.name else ""
    if found and not problem and found[0] not in on_screen.experiment():
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
    if name == "where" and (at := Address.of(value)).layer is not None and not at.part:
        return say(f"switch_concepts.where_{at.stack}_layer", layer=at.layer + 1)
    key = {"*": "all", "encoder/*": "encoder", "decoder/*": "decoder"}.get(value, value)
    return say(f"switch_concepts.{name}.{key}")

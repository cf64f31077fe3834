"""Concepts: the steps and conventions of the paper, each with a switch and its choices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast, get_args

from glassformer.app.plots.labels import format_number
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.config import Activation, AddedPositions, ModelConfig, NormFormula, NormPlace
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions import concepts as kinds
from glassformer.core.interventions.experiment import with_config
from glassformer.core.interventions.parts import Parts
from glassformer.core.interventions.switch import Switch
from glassformer.core.text_models.model import Model
from glassformer.core.trace.address import SUBLAYERS, Address

Values = Mapping[str, str]
TYPES: Mapping[str, type] = {"rate": float, "draw": int}  # of fields; the others are words
WIDGETS = {"by": "slider", "draw": "number"}  # of choices; the others are lists
ALL = "*"
TABLES: tuple[AddedPositions, ...] = ("none", "paper", "notes", "halves", "learned")
TEMPERATURES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
RATES = (0.05, 0.1, 0.2, 0.3, 0.5)
PLAIN_TEMPERATURE = "1.0"
NORMS = (ALL, "self_attention_norm", "cross_attention_norm", "feed_forward_norm")

_rows = component(__file__, "switch_rows")


@dataclass(frozen=True)
class Concept:
    """One row.

    switch: of the values of its choices. values: of a switch, None for one of another row.
    choices: by name the options, the first of which is taken when it is switched on; a choice
    without options is a whole number.
    """

    name: str
    switch: Callable[[Values], Switch]
    values: Callable[[Switch], Values | None]
    choices: Mapping[str, Sequence[str]]

    def found(self, experiment: Experiment) -> tuple[Switch, Values] | None:
        """The last switch of this row, and its values."""
        every = ((each, self.values(each)) for each in reversed(experiment.switches))
        return next(((each, values) for each, values in every if values is not None), None)

    def without(self, experiment: Experiment) -> Experiment:
        """The experiment with nothing of this row."""
        return experiment.keeping(lambda each: self.values(each) is None)

    @property
    def first(self) -> Values:
        """The values that it is switched on with."""
        return {name: options[0] if options else "1" for name, options in self.choices.items()}


def concept_rows(config: ModelConfig) -> dict[str, tuple[Concept, ...]]:
    """The rows for a model by group, in order; `config` is that of the model without any switch."""
    both, decoder = _scopes(config), _scopes(config, ("decoder",))
    activations = [each for each in get_args(Activation) if each != config.activation]
    formulas = [each for each in get_args(NormFormula) if each != config.norm_formula]
    by, scaled = ("2.0", *map(str, TEMPERATURES)), config.embedding_scale
    scale = "no_embedding_scale" if scaled else "embedding_scale"
    layered = config.norm_kind == "layer"  # else there is one formula, and no mean to leave out
    parts = [f"{each}" for each in SUBLAYERS if config.has_both or each != "cross_attention"]
    norms = [each for each in NORMS if config.has_both or each != "cross_attention_norm"]
    across = _of_parts("no_cross_attention", kinds.SublayerOff, decoder, ("cross_attention",))
    return {
        "attention": (
            *([_of_parts("unscaled", kinds.Unscaled, both)] if config.score_scale else []),
            _of_parts("temperature", kinds.Temperature, both, by=by),
            _of_parts("no_self_attention", kinds.SublayerOff, both, ("self_attention",)),
            *([across] if config.has_both else []),
        ),
        "words": (_positions(config), _on_or_off(scale, kinds.EmbeddingScale(not scaled))),
        "layers": (
            _of_parts("no_feed_forward", kinds.SublayerOff, both, ("feed_forward",)),
            _of_fields("activation", kinds.ActivationIs, {"name": activations}),
            _of_parts("no_residual", kinds.ResidualOff, both, (ALL, *parts)),
            _of_fields("dropout", kinds.Dropout, {"rate": ("0.1", *map(str, RATES)), "draw": ()}),
        ),
        "norms": (
            _of_parts("no_norm", kinds.NormOff, both, norms),
            _norm_place(config),
            *(
                _on_or_off(f"norm_{each}", kinds.NormFormulaIs(each))
                for each in formulas
                if layered
            ),
        ),
    }


def parts_pattern(scope: str, part: str) -> str:
    """The parts of a scope (`*`, `encoder/*`, `encoder/0`): all, or those of one name."""
    if part == ALL:
        return scope if scope.endswith(ALL) else f"{scope}/*"
    return f"{scope}/{part}"


def choice_options(concept: Concept, choice: str) -> Sequence[str]:
    """The options of a choice in the order of a list: each once."""
    listed = concept.choices[choice]
    return sorted(set(listed), key=float) if choice in ("by", "rate") else listed


def _scopes(config: ModelConfig, stacks: Sequence[str] = ("encoder", "decoder")) -> tuple[str, ...]:
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    stacks = [stack for stack in stacks if layers[stack]]
    whole = [f"{stack}/*" for stack in stacks] if len(stacks) > 1 else []
    return ALL, *whole, *(f"{stack}/{at}" for stack in stacks for at in range(layers[stack]))


def _of_parts(
    name: str, kind: type[Parts], scopes: Sequence[str], parts: Sequence[str] = (ALL,),
    by: Sequence[str] = (),
) -> Concept:  # fmt: skip
    """A switch for some parts of the model: of a scope, one of several parts, with a number."""
    places = {parts_pattern(scope, part): (scope, part) for scope in scopes for part in parts}

    def make(given: Values) -> Switch:
        where = parts_pattern(given["where"], given.get("part", parts[0]))
        return kind(where, float(given["by"])) if by else kind(where)  # type: ignore[call-arg]

    def values(switch: Switch) -> Values | None:
        if type(switch) is not kind or switch.where not in places:
            return None
        scope, part = places[switch.where]
        number = {"by": str(float(switch.by))} if isinstance(switch, kinds.Temperature) else {}
        return {"where": scope, "part": part, **number}

    choices = ({"by": by} if by else {}) | {"where": scopes}
    return Concept(name, make, values, choices | ({"part": parts} if parts[1:] else {}))


def _on_or_off(name: str, switch: Switch) -> Concept:
    """A switch that has no choices."""
    return Concept(name, lambda _: switch, lambda each: {} if each == switch else None, {})


def _of_fields(name: str, kind: type[Switch], choices: Mapping[str, Sequence[str]]) -> Concept:
    """A switch whose choices are its fields."""
    types = {each: TYPES.get(each, str) for each in choices}

    def values(switch: Switch) -> Values | None:
        if type(switch) is not kind:
            return None
        return {each: str(typed(getattr(switch, each))) for each, typed in types.items()}

    def make(given: Values) -> Switch:
        return kind(**{each: typed(given[each]) for each, typed in types.items()})

    return Concept(name, make, values, choices)


def _positions(config: ModelConfig) -> Concept:
    def values(switch: Switch) -> Values | None:
        if isinstance(switch, kinds.Shuffled):
            return {"variant": "shuffled", "draw": str(switch.draw)}
        return {"variant": switch.variant} if isinstance(switch, kinds.PositionTable) else None

    def make(given: Values) -> Switch:
        if given["variant"] == "shuffled":
            return kinds.Shuffled(int(given["draw"]))
        return kinds.PositionTable(cast(AddedPositions, given["variant"]))

    own = config.positions
    others = [each for each in TABLES if each not in (own, "learned")]  # what nothing learned
    # Only what is added to the words of a source can change places among them.
    mixed = ["shuffled"] if config.adds_positions and config.encoder_layers else []
    choices = {"variant": (*others[:1], *mixed, *others[1:]), "draw": ()}
    return Concept("positions", make, values, choices)


def _norm_place(config: ModelConfig) -> Concept:
    other: NormPlace = "pre" if config.norm_place == "post" else "post"
    own = "on" if config.final_norm else "off"

    def make(given: Values) -> Switch:
        return kinds.NormPlaceIs(other, None if given["final"] == own else given["final"] == "on")

    def values(switch: Switch) -> Values | None:
        if not isinstance(switch, kinds.NormPlaceIs) or switch.place != other:
            return None
        final = config.final_norm if switch.final_norm is None else switch.final_norm
        return {"final": "on" if final else "off"}

    choices = {"final": (own, "off" if own == "on" else "on")}
    name = "pre_norm" if other == "pre" else "post_norm"
    return Concept(name, make, values, choices)


def show() -> None:
    """Draw a row for every concept, in groups."""
    model, look = on_screen.plain_model(), current_look()
    groups = [
        {
            "title": say(f"switch_concepts.group_{group}"),
            "rows": [_row(each, model) for each in rows],
        }
        for group, rows in concept_rows(model.config).items()
    ]
    colours = {"track": look.colour("faint" if look.dark else "line")}
    data = {"groups": groups, "label": say("switch_concepts.label"), "colours": colours}
    with box("fill", "switch_concepts"):
        _rows("switch_rows", data, height="stretch", set=take_concept)


def take_concept(sent: Mapping[str, Any]) -> None:
    """Switch a concept on, with its choices, or off; what cannot be run is said in its row."""
    name, on = str(sent["id"]), bool(sent["on"])
    values = {str(choice): str(each) for choice, each in sent["values"].items()}
    store.memory().concept_refused = None
    model = on_screen.plain_model()
    rows = chain(*concept_rows(model.config).values())
    row = next(each for each in rows if each.name == name)
    rest = row.without(experiments.current_experiment())
    was_on = row.found(experiments.current_experiment()) is not None
    if not on or (was_on and values.get("by") == PLAIN_TEMPERATURE):
        experiments.switch_to(rest)
        return
    given = {**row.first, **values}
    if given.get("by") == PLAIN_TEMPERATURE:
        given["by"] = row.first["by"]
    try:
        switch = row.switch(given)
        check_switch(rest.having(switch), switch, model)
    except GlassformerError as error:
        store.memory().concept_refused = (name, error)
        return
    experiments.switch_to(rest.having(switch))


def check_switch(experiment: Experiment, switch: Switch, model: Model) -> None:
    """Raises `GlassformerError` where the model, its weights or the sentence do not allow it."""
    trace = on_screen.trace_on_screen()
    switch.check(model.config, len(trace.source_tokens), len(trace.target_tokens))
    with_config(model, experiment.config(model.config))


def _row(row: Concept, model: Model) -> dict[str, Any]:
    """A switch: its name, a line about it, its choices, and what stands in its way."""
    found, refused = row.found(experiments.current_experiment()), store.memory().concept_refused
    problem = told_here(refused[1]) if refused and refused[0] == row.name else ""
    if found and not problem and found[0] not in on_screen.experiment_on_screen():
        problem = _misfit(found[0], model)
    values = _values(row, found[1] if found else None)
    return {
        "id": row.name,
        "name": say(f"switch_concepts.name_{row.name}"),
        "about": describe_concept(row.name, model.config),
        "on": found is not None,
        "choices": [_choice(row, name, values) for name in row.choices],
        "problem": problem,
    }


def _values(row: Concept, given: Values | None) -> Values:
    """What the choices of a row show: what is switched, or what they start with."""
    plain = {"by": PLAIN_TEMPERATURE} if "by" in row.choices else {}
    return {**row.first, **(plain if given is None else given)}


def _misfit(switch: Switch, model: Model) -> str:
    try:
        check_switch(Experiment((switch,)), switch, model)
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


def describe_concept(name: str, config: ModelConfig) -> str:
    """A line on a concept, with its section of the paper and this model's numbers."""
    sizes = {
        "d_k": config.d_k, "root_k": format_number(config.d_k**0.5), "d_ff": config.d_ff,
        "d_model": config.d_model, "root_model": format_number(config.d_model**0.5),
    }  # fmt: skip
    return say(f"switch_concepts.about_{name}", **sizes)


def _choice(row: Concept, name: str, values: Values) -> dict[str, Any]:
    """One choice of a row: a list, a slider over the same kind of options, or a whole number."""
    listed = [(each, _option(name, each)) for each in choice_options(row, name)]
    kind = WIDGETS.get(name, "list")
    if kind == "list" and values[name] not in dict(listed):  # as a link gave it
        listed.append((values[name], values[name]))
    return {
        "name": name,
        "label": say(f"switch_concepts.choice_{name}"),
        "kind": kind,
        "options": listed,
        "value": values[name],
        "hidden": name == "draw" and values.get("variant", "shuffled") != "shuffled",
    }


def _option(name: str, value: str) -> str:
    if name in ("by", "rate"):
        return format_number(float(value)).rstrip("0").rstrip(".")
    if name == "where" and (at := Address.of(value)).layer is not None and not at.part:
        return say(f"switch_concepts.where_{at.stack}_layer", layer=at.layer + 1)
    key = {"*": "all", "encoder/*": "encoder", "decoder/*": "decoder"}.get(value, value)
    return say(f"switch_concepts.{name}.{key}")

"""The steps and conventions of the paper: which switch belongs to which row, and its choices.

A row's switch and the values of its choices turn into each other; the page draws what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.config import Activation, ModelConfig, NormFormula, NormPlace, Positions
from core.edits import Experiment
from core.edits.concepts import NormOff, ResidualOff, Shuffled, SublayerOff, Temperature, Unscaled
from core.edits.conventions import (
    ActivationIs,
    Dropout,
    EmbeddingScale,
    NormFormulaIs,
    NormPlaceIs,
    PositionTable,
)
from core.edits.parts import SUBLAYERS, Parts
from core.edits.switch import Switch

Values = Mapping[str, str]
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
    return (
        _of_parts("unscaled", "attention", Unscaled, both),
        _temperature(both),
        _of_parts("no_self_attention", "attention", SublayerOff, both, ("self_attention",)),
        _of_parts("no_cross_attention", "attention", SublayerOff, decoder, ("cross_attention",)),
        _positions(config),
        _embedding_scale(config),
        _of_parts("no_feed_forward", "layers", SublayerOff, both, ("feed_forward",)),
        _activation(config),
        _of_parts("no_residual", "layers", ResidualOff, both, (ALL, *SUBLAYERS)),
        _dropout(),
        _of_parts("no_norm", "norms", NormOff, both, NORMS),
        _norm_place(config),
        _norm_formula(config),
    )


def pattern(scope: str, part: str) -> str:
    """The parts of a scope (`*`, `encoder/*`, `encoder/0`): all, or those of one name."""
    if part == ALL:
        return scope if scope.endswith(ALL) else f"{scope}/*"
    return f"{scope}/{part}"


def _scopes(config: ModelConfig, stacks: Sequence[str] = ("encoder", "decoder")) -> tuple[str, ...]:
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    whole = [f"{stack}/*" for stack in stacks] if len(stacks) > 1 else []
    return ALL, *whole, *(f"{stack}/{at}" for stack in stacks for at in range(layers[stack]))


def _of_parts(
    name: str, group: str, kind: type[Parts], scopes: Sequence[str], parts: Sequence[str] = (ALL,)
) -> Concept:
    places = {pattern(scope, part): (scope, part) for scope in scopes for part in parts}

    def values(switch: Switch) -> Values | None:
        if type(switch) is not kind or switch.where not in places:
            return None
        scope, part = places[switch.where]
        return {"where": scope, "part": part}

    return Concept(
        name,
        group,
        switch=lambda given: kind(pattern(given["where"], given.get("part", parts[0]))),
        values=values,
        choices={"where": scopes} | ({"part": parts} if len(parts) > 1 else {}),
    )


def _temperature(scopes: Sequence[str]) -> Concept:
    places = {pattern(scope, ALL): scope for scope in scopes}

    def values(switch: Switch) -> Values | None:
        if not isinstance(switch, Temperature) or switch.where not in places:
            return None
        return {"where": places[switch.where], "by": str(float(switch.by))}

    return Concept(
        "temperature",
        "attention",
        switch=lambda given: Temperature(pattern(given["where"], ALL), float(given["by"])),
        values=values,
        choices={"by": ("2.0", *map(str, TEMPERATURES)), "where": scopes},
    )


def _positions(config: ModelConfig) -> Concept:
    def values(switch: Switch) -> Values | None:
        if isinstance(switch, Shuffled):
            return {"variant": "shuffled", "draw": str(switch.draw)}
        return {"variant": switch.variant} if isinstance(switch, PositionTable) else None

    def make(given: Values) -> Switch:
        if given["variant"] == "shuffled":
            return Shuffled(_draw(given))
        return PositionTable(next(each for each in TABLES if each == given["variant"]))

    others = [each for each in TABLES if each != config.positions]
    choices = {"variant": (*others[:1], "shuffled", *others[1:]), "draw": ()}
    return Concept("positions", "words", make, values, choices)


def _embedding_scale(config: ModelConfig) -> Concept:
    return Concept(
        "no_embedding_scale" if config.embedding_scale else "embedding_scale",
        "words",
        switch=lambda _: EmbeddingScale(not config.embedding_scale),
        values=lambda switch: {} if switch == EmbeddingScale(not config.embedding_scale) else None,
        choices={},
    )


def _activation(config: ModelConfig) -> Concept:
    return Concept(
        "activation",
        "layers",
        switch=lambda given: ActivationIs(next(e for e in ACTIVATIONS if e == given["name"])),
        values=lambda switch: {"name": switch.name} if isinstance(switch, ActivationIs) else None,
        choices={"name": [each for each in ACTIVATIONS if each != config.activation]},
    )


def _norm_formula(config: ModelConfig) -> Concept:
    other: NormFormula = "sample" if config.norm_formula == "population" else "population"
    return Concept(
        "norm_sample" if other == "sample" else "norm_population",
        "norms",
        switch=lambda _: NormFormulaIs(other),
        values=lambda switch: {} if switch == NormFormulaIs(other) else None,
        choices={},
    )


def _norm_place(config: ModelConfig) -> Concept:
    other: NormPlace = "pre" if config.norm_place == "post" else "post"
    own = "on" if config.final_norm else "off"

    def values(switch: Switch) -> Values | None:
        if not isinstance(switch, NormPlaceIs) or switch.place != other:
            return None
        final = config.final_norm if switch.final_norm is None else switch.final_norm
        return {"final": "on" if final else "off"}

    return Concept(
        "pre_norm" if other == "pre" else "post_norm",
        "norms",
        switch=lambda given: NormPlaceIs(
            other, None if given["final"] == own else given["final"] == "on"
        ),
        values=values,
        choices={"final": (own, "off" if own == "on" else "on")},
    )


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


def options(concept: Concept, choice: str) -> Iterator[str]:
    """The options of a choice in the order of a list: each once."""
    listed = concept.choices[choice]
    numbers = choice in ("by", "rate")
    yield from sorted(set(listed), key=float) if numbers else listed

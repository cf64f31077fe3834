"""An experiment: what is other than in the plain run, as one frozen value.

`experiment = Experiment((Causal(), HeadsOff("encoder/0/self_attention", (1, 2))))` is run by
`run(experiment, model, "I love machine learning")` and read from a link, its `text`, by
`Experiment.from_text`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from torch import Tensor

from core.config import ModelConfig
from core.edits.reference import mean_contexts
from core.edits.switch import KINDS, Phrase, Setting, Switch, refuse, switch_of
from core.edits.variants import fingerprint, with_config
from core.edits.writing import from_text
from core.errors import GlassformerError
from core.stored import UNREADABLE, problem_of, read_json
from core.trace.tape import Edit
from core.trace.trace import Trace
from core.translator import MEMORY_BUDGET, Direction, Translator

FORMAT = 1
MOST_SWITCHES = 200


@dataclass(frozen=True)
class Experiment:
    """Switches in the order in which they were made; `name` is the reader's own."""

    switches: tuple[Switch, ...] = ()
    name: str = ""

    def __bool__(self) -> bool:
        return bool(self.switches)

    def __contains__(self, switch: object) -> bool:
        return switch in self.switches

    def having(self, switch: Switch) -> Experiment:
        """With a switch; one that had its slot gives way."""
        kept = tuple(each for each in self.switches if each.slot != switch.slot)
        return replace(self, switches=(*kept, switch))

    def without(self, switch: Switch) -> Experiment:
        """Without a switch; the same experiment if it has no such switch."""
        return replace(self, switches=tuple(each for each in self.switches if each != switch))

    def toggled(self, switch: Switch) -> Experiment:
        """Without the switch if it is there, with it if not."""
        return self.without(switch) if switch in self else self.having(switch)

    def edits(self, setting: Setting) -> tuple[Edit, ...]:
        """All edits, for `model.trace(…, edits=…)`; lower `Switch.order` first."""
        ordered = sorted(self.switches, key=lambda each: each.order)
        return tuple(edit for each in ordered for edit in each.edits(setting))

    def changing(self, address: str, setting: Setting) -> tuple[Switch, ...]:
        """The switches that change what is recorded at an address."""
        return tuple(
            each
            for each in self.switches
            if any(edit.matches(address) for edit in each.edits(setting))
        )

    def config(self, config: ModelConfig) -> ModelConfig:
        """The config of the run; `config` itself where no switch changes it."""
        for each in self.switches:
            config = each.config(config)
        return config

    @property
    def seed(self) -> int | None:
        """The dropout seed of the last switch that has one."""
        seeds = [each.seed for each in self.switches if each.seed is not None]
        return seeds[-1] if seeds else None

    def misfits(
        self, config: ModelConfig, source: int, target: int
    ) -> dict[Switch, GlassformerError]:
        """The switches that do not fit a model or these lengths in tokens, and why.

        config: of the plain model; each is asked of the config that the others make of it.
        """
        found = dict[Switch, GlassformerError]()
        for each in self.switches:
            try:
                config = each.config(config)
            except GlassformerError as error:
                found[each] = error
        for each in self.switches:
            try:
                each.check(config, source, target)
            except GlassformerError as error:
                found.setdefault(each, error)
        return found

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """The readable line, a piece a switch: words keys with their values."""
        return tuple(each.phrase for each in self.switches)

    @property
    def text(self) -> str:
        """The experiment in a link, without its name: `causal:!0;heads_off:encoder/0/…`."""
        return ";".join(each.text for each in self.switches)

    @classmethod
    def from_text(cls, text: str, name: str = "") -> Self:
        """Reads `text` again.

        Raises `GlassformerError`: experiment_damaged, experiment_kind, experiment_value.
        """
        return cls(tuple(_positional(*each) for each in _few(from_text(text))), name)

    def to_json(self, model: Translator, sentence: Mapping[str, str] | None = None) -> str:
        """The experiment as a file, with the fingerprint of the plain model it was made on.

        sentence: what it was run on: text, direction, second; kept for whoever opens the file.
        """
        about = {"format": FORMAT, "kind": "glassformer-experiment", "name": self.name}
        made_on = {"name": model.name, "fingerprint": fingerprint(model)}
        switches = [{"kind": each.kind, **each.values} for each in self.switches]
        return json.dumps(
            {**about, "model": made_on, "sentence": dict(sentence or {}), "switches": switches},
            ensure_ascii=False,
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str, model: Translator) -> Self:
        """Reads a file again.

        Raises `GlassformerError`: experiment_damaged, experiment_newer, experiment_model for one
        made on other weights, experiment_kind, experiment_value.
        """
        try:
            about = read_json(text)
            if about["kind"] != "glassformer-experiment":
                raise ValueError(about["kind"])
            if int(about["format"]) > FORMAT:
                raise GlassformerError("experiment_newer", found=about["format"], known=FORMAT)
            name, made_on, given = str(about["name"]), about["model"], _few(about["switches"])
            made_by, mark = str(made_on["name"]), made_on["fingerprint"]
            described = [(str(each.pop("kind")), _tuples(each)) for each in given]
        except GlassformerError:
            raise
        except UNREADABLE as error:
            raise GlassformerError("experiment_damaged", problem=problem_of(error)[:60]) from error
        if mark != fingerprint(model):
            raise GlassformerError("experiment_model", made_on=made_by, given=model.name)
        return cls(tuple(switch_of(kind, values) for kind, values in described), name)


def setting(
    model: Translator,
    config: ModelConfig | None = None,
    trace_of: Callable[[str], Trace] | None = None,
    means: Callable[[], Mapping[str, Tensor]] | None = None,
) -> Setting:
    """What switches may ask; `trace_of` and `means` are computed anew unless given."""
    return Setting(
        plain=model,
        config=config or model.config,
        trace_of=trace_of or model.trace,
        means=means or (lambda: mean_contexts(model)),
    )


def run(
    experiment: Experiment,
    model: Translator,
    text: str,
    target: str | None = None,
    direction: Direction | None = None,
    memory_budget: int = MEMORY_BUDGET,
    asked: Setting | None = None,
) -> Trace:
    """The run of an experiment; the arguments are those of `Translator.trace`, which it calls.

    An empty experiment is the plain run, bit for bit. `asked` spares computing means and other
    runs anew. Raises what `trace` raises.
    """
    config = experiment.config(model.config)
    asked = replace(asked, config=config) if asked else setting(model, config)
    edits = experiment.edits(asked)
    chosen = with_config(model, config)
    return chosen.trace(text, target, edits, direction, experiment.seed, memory_budget)


def _positional(kind: str, values: list[object]) -> Switch:
    names = [each.name for each in fields(KINDS[kind])] if kind in KINDS else []
    if len(values) > len(names) and kind in KINDS:
        refuse(kind, str(len(values)), values[-1])
    return switch_of(kind, dict(zip(names, values, strict=False)))


def _few(switches: list[Any]) -> list[Any]:
    if len(switches) > MOST_SWITCHES:
        raise GlassformerError("experiment_damaged", problem=f"{len(switches)} > {MOST_SWITCHES}")
    return switches


def _tuples(value: Any) -> Any:
    """JSON's lists as tuples, at any depth."""
    if isinstance(value, dict):
        return {str(name): _tuples(each) for name, each in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value

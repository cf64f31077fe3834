"""An experiment: what is other than in the plain run, as one frozen value.

`experiment = Experiment((Causal(), HeadsOff("encoder/0/self_attention", (1, 2))))` is run by
`run(experiment, model, "I love machine learning")` and read from a link, its `text`, by
`Experiment.from_text`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Generic, Self, TypeVar

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.switch import (
    KINDS,
    Setting,
    Switch,
    from_text,
    refuse_value,
    switch_of,
)
from glassformer.core.model.shell import shell_of
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.model import Direction, Model, Side
from glassformer.core.text_models.model import trace_of as plain_run
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import ModelInputs
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json

FORMAT = 1
MOST_SWITCHES = 200
AT_ONCE = 32  # texts of a reference set that run together


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
        """With a switch; one that had its slot gives way.

        Args:
            switch: stands last in the new experiment.

        Returns:
            A new experiment.
        """
        kept = self.keeping(lambda each: each.slot != switch.slot)
        return replace(self, switches=(*kept.switches, switch))

    def without(self, switch: Switch) -> Experiment:
        """Without a switch.

        Args:
            switch: the one to leave out, by value.

        Returns:
            A new experiment; the same one if it has no such switch.
        """
        return self.keeping(lambda each: each != switch)

    def keeping(self, wanted: Callable[[Switch], bool]) -> Experiment:
        """With the wanted switches alone.

        Args:
            wanted: whether a switch stays.

        Returns:
            A new experiment.
        """
        return replace(self, switches=tuple(filter(wanted, self.switches)))

    def toggled(self, switch: Switch) -> Experiment:
        """Without the switch if it is there, with it if not.

        Args:
            switch: the one to turn over, by value.

        Returns:
            A new experiment.
        """
        return self.without(switch) if switch in self else self.having(switch)

    def edits(self, setting: Setting) -> tuple[Edit, ...]:
        """All edits, for `model.trace(…, edits=…)`.

        Args:
            setting: what switches may ask.

        Returns:
            The edits of all switches; lower `Switch.order` first, then in the order of the
            switches.

        Raises:
            GlassformerError: as `Switch.edits`.
        """
        ordered = sorted(self.switches, key=lambda each: each.order)
        return tuple(edit for each in ordered for edit in each.edits(setting))

    def changing(self, address: str, setting: Setting) -> tuple[Switch, ...]:
        """The switches that change what is recorded at an address.

        Args:
            address: of one tensor.
            setting: what switches may ask.

        Returns:
            The switches with an edit that matches it, in their order.

        Raises:
            GlassformerError: as `Switch.edits`.
        """
        return tuple(
            each
            for each in self.switches
            if any(edit.matches(address) for edit in each.edits(setting))
        )

    def config(self, config: ModelConfig) -> ModelConfig:
        """The config of the run.

        Args:
            config: of the plain model.

        Returns:
            The config that the switches make of it one after the other; `config` itself where no
            switch changes it.

        Raises:
            GlassformerError: as `Switch.config`.
        """
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

        Args:
            config: of the plain model; each switch is asked of the config that the others make of
                it.
            source: S, tokens that the encoder reads.
            target: T, tokens that the decoder reads.

        Returns:
            The error by its switch; {} where all fit.
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
    def text(self) -> str:
        """The experiment in a link, without its name: `causal:!0;heads_off:encoder/0/…`."""
        return ";".join(each.text for each in self.switches)

    @classmethod
    def from_text(cls, text: str, name: str = "") -> Self:
        """Reads `text` again.

        Args:
            text: switches as in a link; "" for none.
            name: the reader's own for the experiment; it does not stand in a link.

        Returns:
            The experiment.

        Raises:
            GlassformerError: `experiment_damaged`, `experiment_kind`, `experiment_value`.
        """
        return cls(tuple(_positional(*each) for each in _few(from_text(text))), name)

    def to_json(self, model: Model, sentence: Mapping[str, str] | None = None) -> str:
        """The experiment as a file, with the fingerprint of the plain model it was made on.

        Args:
            model: the plain model.
            sentence: what it was run on: text, direction, second; kept for whoever opens the file.
                None for nothing.

        Returns:
            A JSON text that `from_json` reads.
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
    def from_json(cls, text: str, model: Model) -> Self:
        """Reads a file again.

        Args:
            text: what `to_json` wrote.
            model: the plain model that the experiment is to run on.

        Returns:
            The experiment, with its name.

        Raises:
            GlassformerError: `experiment_damaged`, `experiment_newer`, `experiment_model` for one
                made on other weights, `experiment_kind`, `experiment_value`.
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


def setting_of(
    model: Model,
    config: ModelConfig | None = None,
    trace_of: Callable[[str], Trace] | None = None,
    means: Callable[[], Mapping[str, Tensor]] | None = None,
) -> Setting:
    """What switches may ask; `trace_of` and `means` are computed anew unless given.

    Args:
        model: the plain model.
        config: of the model that will run; None for that of `model`.
        trace_of: the plain run of a sentence; None runs the model at each call.
        means: each head's mean output, as `mean_contexts` gives it; None computes it at each call.

    Returns:
        The setting.
    """
    return Setting(
        config=config or model.config,
        trace_of=trace_of or partial(plain_run, model),
        means=means or (lambda: mean_contexts(model)),
    )


def run(
    experiment: Experiment,
    model: Model,
    text: str,
    target: str | None = None,
    direction: Direction | None = None,
    asked: Setting | None = None,
    text_pair: str = "",
) -> Trace:
    """The run of an experiment; an empty experiment is the plain run, bit for bit.

    Args:
        experiment: what is other than in the plain run.
        model: the plain model; it is not written to.
        text: what the model reads.
        target: None lets the model write; a text is forced on it.
        direction: of translations that go both ways; None lets the model find it out.
        asked: spares computing means and other runs anew; None computes them.
        text_pair: a second text, of a model that reads two together; "" for none.

    Returns:
        The run, of the config that the experiment makes of the model's.

    Raises:
        GlassformerError: as `Model.trace`, `prepare_model` and `Experiment.edits`.
    """
    chosen, asked = prepare_model(experiment, model, asked)
    edits = experiment.edits(asked)
    return chosen.trace(text, target, edits, direction, experiment.seed, text_pair=text_pair)


def prepare_model(
    experiment: Experiment, model: Model, asked: Setting | None = None
) -> tuple[Model, Setting]:
    """The model that an experiment runs on, and what its switches may ask there.

    Args:
        experiment: what is other than in the plain run.
        model: the plain model; it is not written to.
        asked: what switches may ask, of any config; None makes it with `setting_of`.

    Returns:
        The model, which shares the weights or is `model` itself, and the setting with its config.

    Raises:
        GlassformerError: as `Experiment.config` and `with_config`.
    """
    config = experiment.config(model.config)
    asked = replace(asked, config=config) if asked else setting_of(model, config)
    return with_config(model, config), asked


def ids_of(model: Model, side: Side, *rows: Sequence[str]) -> Tensor:
    """The ids of pieces, where the model is.

    Args:
        model: whose vocabulary and device.
        side: `source` for what is read, `target` for what is written.
        *rows: pieces of each sequence; all rows are equally long.

    Returns:
        (rows, pieces) int64.
    """
    found = [model.ids(row, side) for row in rows]
    return torch.tensor(found, dtype=torch.long, device=model.device)


def segments_of(model: Model, *traces: Trace) -> Tensor | None:
    """The segments of the words that some runs read, as `Embedding` takes them; padding is 0.

    Args:
        model: where the tensor lies.
        *traces: the runs, one at least.

    Returns:
        Of one run (S,), of several (runs, S), int64; None where every run read one text.
    """
    if not any(each.segments for each in traces):
        return None
    longest = max(len(each.source_pieces) for each in traces)
    rows = [[*each.segments, *[0] * (longest - len(each.segments))] for each in traces]
    return torch.tensor(rows if len(rows) > 1 else rows[0], dtype=torch.long, device=model.device)


def _positional(kind: str, values: list[object]) -> Switch:
    names = [each.name for each in fields(KINDS[kind])] if kind in KINDS else []
    if len(values) > len(names) and kind in KINDS:
        refuse_value(kind, str(len(values)), values[-1])
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


def with_config(model: Model, config: ModelConfig) -> Model:
    """The translator as another config runs it, sharing the weights.

    Nothing is copied, nothing is written to the shared model, no random number is drawn. A final
    norm that the model lacks starts as norms start (γ = 1) and is the only thing that is new.

    Args:
        model: the plain model.
        config: of the model that is wanted.

    Returns:
        A new model; itself for its own config.

    Raises:
        GlassformerError: `config` where the new convention needs weights that the model has not
            learned, such as a position table, or weights of another shape.
    """
    if config == model.config:
        return model
    other = shell_of(config)  # its parts are filled below
    learned = dict(model.transformer.named_parameters(remove_duplicate=False))
    for name, empty in list(other.named_parameters(remove_duplicate=False)):
        owner, _, last = name.rpartition(".")
        setattr(other.get_submodule(owner), last, _weight(name, empty, learned, model))
    return model.having(other)


def _weight(
    name: str, empty: nn.Parameter, learned: dict[str, nn.Parameter], model: Model
) -> nn.Parameter:
    found, last = learned.get(name), name.rpartition(".")[2]
    if found is not None and found.shape == empty.shape:
        return found
    if found is None and last in ("gamma", "beta"):
        start = 1.0 if last == "gamma" else model.config.norm_initial_shift
        filled = torch.full(empty.shape, start, device=model.device)
        return nn.Parameter(filled, requires_grad=False)
    shape = "absent" if found is None else tuple(found.shape)
    problem = f"its weights have no {name} of shape {tuple(empty.shape)} ({shape})"
    raise GlassformerError("config", problem=problem)


def fingerprint(model: Model) -> str:
    """What tells one model from another: config, words and weights.

    Args:
        model: the plain model.

    Returns:
        The first 16 hexadecimal digits of a SHA-256.
    """
    about = [model.config.to_dict(), list(model.vocabulary)]
    mark = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name, weight in sorted(model.transformer.named_parameters()):
        mark.update(name.encode())
        mark.update(weight.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return mark.hexdigest()[:16]


# Plain sentences of both directions; a reference that moved would move every experiment on it.
REFERENCE = (
    "I have a cat.",
    "The teacher reads a book in the library.",
    "She bought two red apples yesterday.",
    "My brother is taller than my sister.",
    "Do you like music?",
    "They did not go to the park because it was too cold.",
    "我 喜欢 喝 茶 。",
    "他 昨天 在 学校 看 书 。",
    "那 只 狗 很 大 。",
    "你 想 去 北京 吗 ？",
    "妈妈 买 了 三 个 苹果 。",
    "学生 没有 看见 老师 。",
)


def mean_contexts(model: Model, sentences: Sequence[str] = REFERENCE) -> Mapping[str, Tensor]:
    """The mean output of each head over all rows of all sentences, padding left out.

    Of a model that continues a text these are the rows of the text alone: no word that the model
    would write counts. A translator's decoder reads what greedy decoding writes.

    Args:
        model: the plain model; it is only run.
        sentences: the reference set; those that the model cannot read are passed over.

    Returns:
        (H, K) by the address of `context`.

    Raises:
        GlassformerError: `reference_unreadable` where a model can read none of the sentences,
            because it was trained on other languages.
    """
    inputs = list[ModelInputs]()
    for sentence in sentences:
        with suppress(GlassformerError):
            inputs.append(model.inputs_of(sentence))
    if not inputs:
        raise GlassformerError("reference_unreadable")
    batch = run_batch(model, inputs, keep="*/context", batch_size=AT_ONCE)
    masks = {"source": batch.source_mask, "target": batch.target_mask}
    means = dict[str, Tensor]()
    for address in batch:
        words = masks[Address.of(address).side]  # (B, T)
        means[address] = batch[address].transpose(1, 2)[words].mean(dim=0)  # (H, K)
    return means


NOTHING = Experiment()
LONGEST = 100  # steps that can be undone
T = TypeVar("T")


@dataclass(frozen=True)
class History(Generic[T]):
    """What is there now, what was before (latest last) and what was undone (next last)."""

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()

    def having(self, new: T) -> History[T]:
        """A step further; what had been undone is forgotten. The same again is no step.

        Args:
            new: what is there after the step.

        Returns:
            A new history, which remembers the last 100 steps; itself where `new` is what is there.
        """
        if new == self.now:
            return self
        return History(new, (*self.past, self.now)[-LONGEST:])

    def undone(self) -> History[T]:
        """A step back; itself at the start."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redone(self) -> History[T]:
        """A step forward again; itself where nothing was undone."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])

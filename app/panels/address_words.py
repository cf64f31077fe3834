"""Addresses, shapes, heads and cells in words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import get_args

from glassformer.app.plots.axes import Side
from glassformer.app.plots.labels import format_number, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.kept_models import plain_name
from glassformer.app.runs.models import FORMER
from glassformer.app.runs.untrained import is_untrained, read_blueprint
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.words import say
from glassformer.core.analysis.measure import Measure
from glassformer.core.analysis.tensor_slice import Lines, Plan
from glassformer.core.interventions.tensors import At
from glassformer.core.text_models.checkpoints import DEFAULT, list_models
from glassformer.core.trace.address import SUBLAYERS, Address
from glassformer.core.trace.sites import SITES, Axis, AxisName
from glassformer.core.trace.trace import Trace

MOST_NAMED = 6  # numbers that a list names one by one
PATTERN = re.compile(r"(?:(encoder|decoder|\*)/)?(?:(\d{1,4}|\*)/)?([a-z_*]+)")
AXES = get_args(AxisName)
TENSORS = frozenset(site.name for site in SITES)


def format_bytes(size: int) -> str:
    """A number of bytes with three digits: "624 B", "2.4 kB", "1.31 MB"."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB"):
        size_in_unit = size / (1e3 if unit == "kB" else 1e6)
        if size_in_unit < 999.5:
            return f"{size_in_unit:.3g} {unit}"
    return f"{size / 1e9:.3g} GB"


def branch_names(addresses: Sequence[str]) -> dict[str, str]:
    """Every branch of the tree in words: "encoder/0" -> "Layer 1"."""
    branches = dict.fromkeys(
        branch for address in addresses for branch in Address.of(address).branches
    )
    return {branch: branch_name(branch) for branch in branches}


def place(address: str) -> str:
    """Where a tensor is recorded: "Encoder › Layer 1 › Self-attention"; "" at the top."""
    return " › ".join(branch_name(branch) for branch in Address.of(address).branches)


def branch_name(branch: str) -> str:
    """The last part of a path in words; a layer counts from 1."""
    last = Address.of(branch).last
    if last.isdecimal():
        return say("tensors.layer", layer=int(last) + 1)
    return say(f"tensors.place_{last}")


def axis_name(axis: Axis, language: str | None = None) -> str:
    """An axis in a word."""
    return say(f"axes.{axis.name}", language)


def named_shape(axes: Sequence[Axis]) -> str:
    """A shape with its axes in words: "head 4 × query 12 × key 12"."""
    return " × ".join(f"{axis_name(axis)} {axis.size}" for axis in axes)


def short_shape(shape: Sequence[int]) -> str:
    """A shape for a narrow place: "1×4×12×12"."""
    return "×".join(map(str, shape))


def numbers_line(measured: Measure, digits: int) -> str:
    """The extremes, the mean and the deviation in a line."""
    least, most, mean, std = (
        format_number(value, digits)
        for value in (measured.least, measured.most, measured.mean, measured.std)
    )
    return say("tensors.numbers", least=least, most=most, mean=mean, std=std)


def side_of(lines: Lines, language: str | None = None) -> Side:
    """Lines for a figure: counted from 1, with their axis in a word."""
    title = axis_name(lines.axis, language) if lines.axis else ""
    numbers = [int(index) + 1 for index in lines.indices]
    return Side(title.capitalize(), numbers, lines.labels, lines.step)


def run_lines(trace: Trace, now: State, switched: str = "") -> list[str]:
    """Python that computes a run again, as `trace`.

    now: what it was asked with. switched: the text of the experiment that it was made under.
    """
    chosen = plain_name(FORMER.get(now.model, now.model))
    name = "@".join(filter(None, (chosen or (DEFAULT if now.step else ""), now.step)))
    model = f"load_model({name!r})" if name else "load_model()"
    imports, made = ["from glassformer import load_model"], [f"model = {model}"]
    if is_untrained(now.model):
        imports += [
            "from glassformer.core.lab.untrained import blueprint, build_model",
            "from glassformer.core.text_models.translator import Translator",
        ]
        settings = "".join(
            f", {key}={value!r}" for key, value in read_blueprint(now.model).changed.items()
        )
        made = [
            "words = load_model().tokenizer",
            f"plan = blueprint(len(words.vocabulary){settings})",
            'model = Translator(build_model(plan), words, "untrained")',
        ]
    elif chosen not in ("", *list_models()):
        made = ["# its folder lies here, in models/ or in GLASSFORMER_MODELS", *made]
    if trace.sent:
        made[-1] += ".with_chat_template()"
    direction = "" if now.direction == "auto" else f", direction={now.direction!r}"
    pair = f", text_pair={trace.text_pair!r}" if trace.text_pair else ""
    asked = f"{trace.source_text!r}{direction}{pair}"
    run = f"trace = model.trace({asked})"
    if switched:
        imports.append("from glassformer.core.interventions import Experiment, run")
        made.append(f"experiment = Experiment.from_text({switched!r})")
        run = f"trace = run(experiment, model, {asked})"
    return [*imports, *made, run]


def on_screen_lines(trace: Trace) -> list[str]:
    """Python that brings the run on screen: computed again, or read from its file."""
    if (file := on_screen.file_on_screen()) is not None:
        return ["from glassformer import Trace", f"trace = Trace.load({file.name!r})"]
    return run_lines(trace, store.get_state(), on_screen.made_under().text)


def snippet(trace: Trace, address: str, chosen: Plan, run: Sequence[str]) -> str:
    """Python that gives the numbers on screen; run: the lines that compute `trace`."""
    return "\n".join((*run, f'trace["{address}"]{_index(trace, address, chosen)}'))


def _index(trace: Trace, address: str, chosen: Plan) -> str:
    pins = chosen.pins
    drawn = {chosen.rows.name, chosen.columns.name if chosen.columns else ""}
    parts = [
        ":" if axis.name in drawn else str(pins.get(axis.name, 0)) for axis in trace.axes(address)
    ]
    while parts and parts[-1] == ":":
        parts.pop()
    names, columns = [axis.name for axis in trace.axes(address)], chosen.columns
    turned = columns is not None and names.index(chosen.rows.name) > names.index(columns.name)
    return (f"[{', '.join(parts)}]" if parts else "") + (".T" if turned else "")


@dataclass(frozen=True)
class Speaker:
    """Says parts in one language; None: that of the session.

    words: those of the run on screen, "source" and "target", to name positions by.
    """

    language: str | None = None
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def say(self, key: str, /, **values: object) -> str:
        """The text of a key in this language."""
        return say(key, self.language, **values)

    def listed(self, pieces: Sequence[str]) -> str:
        """Pieces with commas between, "nothing" without any."""
        return self.say("language.comma").join(pieces) or self.say("edits.nothing")

    def numbers(self, indices: Sequence[int]) -> str:
        """Indices from 0 as "1, 2, 5–9": counted from 1, runs of three or more joined."""
        pieces: list[str] = []
        for _, group in groupby(enumerate(sorted(indices)), lambda each: each[1] - each[0]):
            run = [index + 1 for _, index in group]
            pieces += [f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run)
        if len(pieces) > MOST_NAMED:
            pieces = [*pieces[: MOST_NAMED - 1], "…"]
        return self.say("language.comma").join(pieces)

    def position(self, indices: Sequence[int], side: str) -> str:
        """`numbers`, a single one with its word: "6 “street”"."""
        words, numbers = self.words.get(side, ()), self.numbers(indices)
        if len(indices) != 1 or not 0 <= indices[0] < len(words):
            return numbers
        word = visible(words[indices[0]])
        return self.say("edits.position_word", number=numbers, word=word)

    def place(self, where: str, parts: str = "sublayer") -> str:
        """What a path or a pattern names: "encoder layer 1 feed-forward", "every sub-layer".

        parts: what a `*` at its end stands for: "sublayer", "attention" or "norm".
        """
        match = PATTERN.fullmatch(where)
        if match is None:
            return self.say("edits.matching", pattern=where)
        stack, layer, name = (each or "*" for each in match.groups())
        kind, side = name.lstrip("*").lstrip("_"), "both" if stack == "*" else stack
        if name == "norm" and layer == "*":
            return self.say(f"edits.final_norm_{side}")
        one_each = parts == "attention" and stack == "encoder"  # a layer has no other attention
        if one_each and layer != "*" and name == "*":
            kind = "self_attention"
        part = self._part(kind, parts)
        if part is None:
            return self.say("edits.matching", pattern=where)
        if layer == "*":
            if stack == "*":
                return self.say("edits.every", part=part)
            return self.say(f"edits.every_{stack}", part=part)
        at = self.say(f"edits.layer_{side}", layer=int(layer) + 1)
        if kind in ("", "attention", "norm"):
            return self.say("edits.every_at", place=at, part=part)
        if one_each and kind == "self_attention":
            return at
        return self.say("edits.part_at", place=at, part=part)

    def heads(self, where: str, heads: Sequence[int]) -> str:
        """Heads as "heads 2, 3 of encoder layer 1"; () is all of them."""
        place = self.place(where, "attention")
        key = "one_head_at" if len(set(heads)) == 1 else "some_heads_at"
        if not heads:
            key = "all_heads" if where == "*" else "all_heads_at"
        return self.say(f"edits.{key}", place=place, heads=self.numbers(heads))

    def attention(self, where: str, heads: Sequence[int]) -> str:
        """The heads, or just the attention where all of its heads are meant."""
        return self.heads(where, heads) if heads else self.place(where, "attention")

    def cells(self, address: str, at: At) -> str:
        """A tensor, or some of its cells: "weights of encoder layer 1 self-attention (head 2)"."""
        named = self.tensor(address)
        axes = []
        for axis, indices in at:
            name = self.say(f"axes.{axis}") if axis in AXES else axis
            axes.append(self.say("edits.axis", axis=name, numbers=self.numbers(indices)))
        picked = self.say("edits.semicolon").join(axes)
        return self.say("edits.cells", tensor=named, axes=picked) if axes else named

    def tensor(self, address: str) -> str:
        """What is recorded at an address or a pattern: "output of every feed-forward"."""
        at = Address.of(address)
        if at.last not in TENSORS:
            return self.say("edits.matching", pattern=address)
        tensor = self.say(f"edits.tensor_{at.last}")
        owner = at.branches[-1] if at.branches else ""
        if owner in ("", "output"):
            return tensor
        if owner in ("source", "target"):
            place = self.say(f"edits.end_{owner}")
        else:
            around = owner.removesuffix("_residual")
            place = self.place(around)
            if owner != around:
                place = self.say("edits.residual_of", place=place)
        return self.say("edits.tensor_at", tensor=tensor, place=place)

    def _part(self, name: str, parts: str) -> str | None:
        if name in ("", parts):
            return self.say(f"edits.part_{parts}")
        if name in ("attention", "norm", *SUBLAYERS):
            return self.say(f"edits.part_{name}")
        if name.endswith("_norm") and name.removesuffix("_norm") in SUBLAYERS:
            around = self.say(f"edits.part_{name.removesuffix('_norm')}")
            return self.say("edits.norm_of", part=around)
        return None


def word_sides(where: str) -> tuple[str, str]:
    """Which words stand at the rows and at the columns of an attention; "" where both may."""
    at = Address.of(where)
    if at.last.endswith("cross_attention"):
        return "target", "source"
    side = {"encoder": "source", "decoder": "target"}.get(at.stack, "")
    return (side, side) if at.last.endswith("self_attention") else ("", "")

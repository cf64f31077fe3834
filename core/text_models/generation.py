"""What a model writes: word after word, under edits, with keys and values kept between the steps.

    model.generate("The animal was too tired", edits=[steer("decoder/3/*/summed", direction)])

It is the bare form of `trace`: no pass is made over what was written, the tensors are those that
the steps computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.rows import Tapes, tapes
from glassformer.core.decoding.sampling import draw_samples
from glassformer.core.decoding.step import Step, Task
from glassformer.core.decoding.step_tapes import StepTapes
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.detokenize import Decoded
from glassformer.core.text_models.given_texts import GivenText, given_texts
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.hook_names import edits_at_addresses
from glassformer.core.trace.results import Result
from glassformer.core.trace.tape import Edit, nearest_addresses
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

    from glassformer.core.text_models.given_texts import Texts
    from glassformer.core.text_models.model import Direction

Recording = Literal["steps"] | None


@dataclass(frozen=True, repr=False)
class Generation(Result):
    """What a model wrote for a text.

    text: all of it, of a text that was continued with its beginning. ids, words: what was written
    after the words that were given, the end among them, as the vocabulary counts it and as it is
    shown. steps: one a word: the candidates, their probabilities, the entropy. trace: with
    `record="steps"` all tensors of these steps as one run; None otherwise.
    """

    text: str
    ids: tuple[int, ...]
    words: tuple[str, ...]
    steps: tuple[Step, ...]
    trace: Trace | None = None

    def headline(self) -> str:
        """How many words were written, and the text."""
        count = f"{len(self.ids)} words"
        return f"{count} written, {'every step recorded' if self.trace else 'not recorded'}: {self}"

    def __str__(self) -> str:
        return self.text

    @property
    def show(self) -> GenerationPictures:
        """Pictures of it: `generation.show()`, `generation.show.steps()`."""
        return GenerationPictures(self)

    def table(self) -> pd.DataFrame:
        """A row for each word that was written.

        Returns:
            `word`, its `id`, the `probability` that it had, 0 … 1, and the `entropy` of all words
            there, in nats.
        """
        import pandas as pd  # slow to import, and not always wanted

        told = [(each.chosen, each.probability, each.entropy) for each in self.steps]
        table = pd.DataFrame(told, columns=["id", "probability", "entropy"])
        table.insert(0, "word", self.words)
        return table


@dataclass(frozen=True)
class GenerationPictures:
    """What `generation.show` is: called the words with their probabilities."""

    of: Generation

    def __call__(self) -> Any:
        """The table of words as a picture."""
        return self.of.picture()

    def steps(self, **how: Any) -> Any:
        """The steps as the app draws them, in time; of what was not recorded the table of words."""
        return self() if self.of.trace is None else self.of.trace.show.timeline(**how)


@dataclass(frozen=True)
class Draft:
    """A text that is to be written, and how a model reads what was written.

    read: all ids that were written, the given ones first -> their text, and what each is shown as.
    bind: tensors and steps -> the run. keep: what is kept of each step; None for all.
    """

    task: Task
    read: Callable[[Sequence[int]], Decoded]
    bind: Callable[[Mapping[str, Tensor], tuple[Step, ...]], Trace]
    keep: Callable[[str], bool] | None = None


class WritesTexts:
    """What every model has: `generate`."""

    transformer: Transformer

    @overload
    def generate(
        self, text: str, max_new_tokens: int | None = None, edits: Sequence[Edit] = (),
        record: Recording = None, direction: Direction | None = None, *,
        temperature: float | None = None, top_k: int | None = None, top_p: float | None = None,
        seed: int | None = None,
    ) -> Generation: ...  # fmt: skip

    @overload
    def generate(
        self, text: Texts, max_new_tokens: int | None = None, edits: Sequence[Edit] = (),
        record: Recording = None, direction: Direction | None = None, *,
        temperature: float | None = None, top_k: int | None = None, top_p: float | None = None,
        seed: int | None = None,
    ) -> Any: ...  # fmt: skip

    def generate(
        self, text: Texts, max_new_tokens: int | None = None, edits: Sequence[Edit] = (),
        record: Recording = None, direction: Direction | None = None, *,
        temperature: float | None = None, top_k: int | None = None, top_p: float | None = None,
        seed: int | None = None,
    ) -> Generation | list[Generation]:  # fmt: skip
        """Writes for a text or each of a list, at each step the most probable word or a drawn one.

        Keys and values are kept between the steps where all edits act on each position alone
        (`Edit.each_position`) or on the source; otherwise each step is a pass over all words. The
        texts of a list are written one after the other, without padding: each is what it is alone.
        Words are drawn where one of the last four is given; the probabilities of the steps are the
        model's own all the same.

        Args:
            text: a source to translate, all of it in one go, or a text to go on with; or the ids of
                one; or a list, a tensor or a tokenizer's table of such, as `run` takes them.
            max_new_tokens: most words to write, the end included; None for as many as `trace`
                writes.
            edits: changes made to recorded tensors at each step.
            record: "steps" keeps the tensors of all steps, None those of none.
            direction: of translations that go both ways; None lets the model find it out.
            temperature: logits are divided by it; 1 is the model's own distribution, 0 is greedy.
            top_k: the k most probable words may be drawn, and all that equal the k-th.
            top_p: of these the fewest may be drawn that reach this probability together.
            seed: the same one draws the same words; of a list the text at place i has seed + i.

        Returns:
            What was written; of a list one for each text, in its order.

        Raises:
            GlassformerError: `no_decoder` of a model that fills in blanks; text that the tokenizer
                refuses, as for `trace`; `run_nothing`, `run_mixed`, `run_ids` and `out_of_range` as
                for `run`, `decoding_range` for a temperature, top_k, top_p or seed that cannot be;
                as `write_text`.
        """
        config = self.transformer.config
        texts, is_list = given_texts(text, config.pad_id)
        edits = edits_at_addresses(edits, config)
        given = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
        chosen: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        how = Sampling(**chosen) if chosen else None
        written = []
        for place, each in enumerate(texts):
            draft = self._draft(each, max_new_tokens, edits, direction)
            own = how and replace(how, seed=how.seed + place)
            written.append(write_text(self.transformer, draft, edits, record, own))
        return written if is_list else written[0]

    def _draft(
        self, text: GivenText, words: int | None, edits: Sequence[Edit], direction: Direction | None
    ) -> Draft:
        raise NotImplementedError


def write_text(
    model: Transformer, draft: Draft, edits: Sequence[Edit] = (), record: Recording = None,
    how: Sampling | None = None,
) -> Generation:  # fmt: skip
    """Writes a text, the most probable word at each step, or a drawn one.

    Args:
        model: the Transformer; it is only run.
        draft: what is to be written.
        edits: changes made to recorded tensors at each step.
        record: "steps" keeps the tensors of all steps, None those of none.
        how: words are drawn; None takes the most probable ones.

    Returns:
        What was written.

    Raises:
        GlassformerError: `lab_choice` for another `record`, `edit_unmatched` before anything is
            computed, and `edit_changes_kind`.
    """
    if record not in (None, "steps"):
        allowed = "None, “steps”"
        raise GlassformerError("lab_choice", name="record", given=record, allowed=allowed)
    check_edits(model.config, edits)
    task, given = draft.task, len(draft.task.given)
    if record is None:
        steps = _steps(model, task, tapes(edits), how, tell_given=False)
        words, trace = (*task.given, *(step.chosen for step in steps)), None
    else:
        tape = StepTapes(tuple(edits), draft.keep)
        steps = _steps(model, task, tape, how, tell_given=True)
        words, trace = tuple(step.chosen for step in steps), draft.bind(tape.join(model), steps)
        steps = steps[given:]
    read = draft.read(words)
    return Generation(read.text, words[given:], tuple(read.surfaces[given:]), steps, trace)


def _steps(
    model: Transformer, task: Task, tape: Tapes, how: Sampling | None, tell_given: bool
) -> tuple[Step, ...]:
    if how is None:
        return greedy(model, task, tape=tape, tell_given=tell_given)
    (drawn,) = draw_samples(model, task, [how], tape, tell_given=tell_given)
    return tuple(each.step for each in drawn)


def check_edits(config: ModelConfig, edits: Sequence[Edit]) -> None:
    """Raises where an edit changes nothing that a model of this config records.

    Args:
        config: of the model.
        edits: to be made.

    Raises:
        GlassformerError: `edit_unmatched`, with the nearest addresses.
    """
    below = (f"{edit.address}/{name}" for edit in edits for name in edit.records)
    known = (*addresses(config), *below) if edits else ()
    for edit in edits:
        if not any(map(edit.matches, known)):
            near = nearest_addresses(edit.address, known)
            raise GlassformerError("edit_unmatched", address=edit.address, nearest=near)


def most_new_words(given: int | None, default: int, room: int) -> int:
    """How many words are written at most.

    Args:
        given: what was asked for; None for the default.
        default: the model's own.
        room: positions that are left.

    Returns:
        At least 1.

    Raises:
        GlassformerError: `decoding_range` for less than 1, `lab_whole` for no whole number.
    """
    wanted = default if given is None else given
    if isinstance(wanted, bool) or not isinstance(wanted, int):
        name = "max_new_tokens"
        raise GlassformerError("lab_whole", name=name, given=wanted, low=1, high=room)
    if wanted < 1:
        name = "max_new_tokens"
        raise GlassformerError("decoding_range", name=name, given=wanted, low=1, high=room)
    return max(1, min(wanted, room))

"""A recurrent encoder and decoder that learn to write: one vector for all letters, or attention.

One GRU reads the letters, another writes them and begins with the state in which the first one
ended. That vector is all it has, or it looks at the states of all letters: by the dot product of
its own state with them (Luong et al. 2015), or by a small network, additive attention (Bahdanau et
al. 2014, where attention began). What is mixed goes into the output, not back into the GRU.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import count_parts
from glassformer.core.lab.inputs import read_choice, read_whole_number
from glassformer.core.lab.parts import build_seeded

Way = Literal["vector", "dot", "additive"]
WAYS: tuple[Way, ...] = get_args(Way)
Task = Literal["copy", "reverse"]
TASKS: tuple[Task, ...] = get_args(Task)
WIDTHS = (8, 16, 32, 48)  # numbers in a state
LETTERS = "ABCDEFGH"
END = len(LETTERS)  # the last of the symbols; the decoder is started by it, too
TRAINED_TO, LONGEST = 10, 14  # letters of a word in training, and at most
STEPS, EVERY = 500, 50  # of training, and between two snapshots
BATCH, RATE, LAST_RATE = 32, 0.015, 0.1  # LAST_RATE: of the first, to which the rate falls
TRIED = 100  # words of each length
SPARE = 3  # symbols more than letters are read, in which the end mark should come

Weights = Mapping[str, Tensor]


class Writer(nn.Module):
    """A GRU that reads, a GRU that writes, and what the second one may look at.

    Args:
        way: how it looks at the states of the letters; "vector" does not.
        width: d, of all states and vectors.
    """

    def __init__(self, way: Way, width: int) -> None:
        super().__init__()
        self.way = way
        self.embedding = nn.Embedding(END + 1, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width if way == "vector" else 2 * width, END + 1)
        if way == "additive":
            self.of_query = nn.Linear(width, width, bias=False)
            self.of_key = nn.Linear(width, width, bias=False)
            self.to_score = nn.Linear(width, 1, bias=False)

    def read(self, letters: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's states, and the last of them, with which the decoder begins.

        Args:
            letters: (B, S) their numbers.

        Returns:
            (B, S, d) and (1, B, d).
        """
        states, last = self.encoder(self.embedding(letters))
        return states, last

    def scores(self, query: Tensor, states: Tensor) -> Tensor:
        """How well each state of the encoder fits each of the decoder.

        Args:
            query: (B, T, d), of the decoder.
            states: (B, S, d), of the encoder.

        Returns:
            (B, T, S): q · k, or v · tanh(W q + U k).
        """
        if self.way == "dot":
            return query @ states.mT
        both = self.of_query(query)[:, :, None] + self.of_key(states)[:, None]  # (B, T, S, d)
        found: Tensor = self.to_score(both.tanh())[..., 0]
        return found

    def write(self, given: Tensor, state: Tensor, states: Tensor) -> tuple[Tensor, ...]:
        """What comes after each of the given symbols.

        Args:
            given: (B, T) symbols, the end mark first.
            state: (1, B, d), of the decoder before them.
            states: (B, S, d), of the encoder.

        Returns:
            Logits (B, T, 9), the decoder's state after them, and the weights (B, T, S); without
            attention all of these are 0.
        """
        query, state = self.decoder(self.embedding(given), state)
        if self.way == "vector":
            nothing = query.new_zeros(*query.shape[:2], states.size(1))
            return self.output(query), state, nothing
        weights = self.scores(query, states).softmax(dim=-1)
        return self.output(torch.cat([query, weights @ states], dim=-1)), state, weights


@dataclass(frozen=True)
class Course:
    """The three writers while they learn: their weights after every `EVERY` steps."""

    task: Task
    width: int
    seed: int
    snapshots: Mapping[Way, tuple[Weights, ...]]

    @property
    def nbytes(self) -> int:
        """Bytes of all snapshots."""
        every = [each for ways in self.snapshots.values() for each in ways]
        return sum(weight.nbytes for weights in every for weight in weights.values())

    def writer(self, way: Way, steps: int) -> Writer:
        """One of the writers after some steps.

        Args:
            way: which.
            steps: a multiple of `EVERY`, among those that were trained.

        Returns:
            The writer, without gradients.
        """
        writer = Writer(way, self.width).requires_grad_(False)
        writer.load_state_dict(dict(self.snapshots[way][steps // EVERY]))
        return writer


@dataclass(frozen=True)
class Written:
    """What one writer makes of a word, and of others of each length."""

    text: str  # without the end mark
    ended: bool  # whether it wrote the end mark in time
    right: int  # letters that stand where they should
    weights: Tensor  # (T, S): a row for every symbol written; all 0 without attention
    accuracy: Tensor  # (LONGEST,): share of letters right in fresh words of 1, 2, … letters
    parameters: int


def goal(letters: str, task: Task) -> str:
    """What should be written.

    Args:
        letters: that are read.
        task: what is to be done with them.

    Returns:
        The letters, in their order or from the last to the first.
    """
    return letters[::-1] if task == "reverse" else letters


def read_plan(task: Any, width: Any, steps: Any, seed: Any) -> tuple[Task, int, int, int]:
    """What is to be learned, and for how long.

    Args:
        task: one of `TASKS`.
        width: one of `WIDTHS`.
        steps: 0 to `STEPS`, a multiple of `EVERY`.
        seed: 0 to 2³¹.

    Returns:
        The same, as numbers.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    asked: Task = "reverse" if read_choice("task", task, TASKS) == "reverse" else "copy"
    wide = int(read_choice("width", str(width), [str(each) for each in WIDTHS]))
    count = read_whole_number("steps", steps, 0, STEPS, EVERY)
    return asked, wide, count, read_whole_number("seed", seed, 0, 2**31)


def read_letters(letters: Any) -> str:
    """A word to be written.

    Args:
        letters: 1 to `LONGEST` of `LETTERS`, in either case; blanks do not count.

    Returns:
        The letters, in capitals.

    Raises:
        GlassformerError: `lab_choice` for another letter, `lab_shape` for too many or none.
    """
    given = "".join(str(letters).upper().split())
    for each in given:
        read_choice("letters", each, LETTERS)
    if not 1 <= len(given) <= LONGEST:
        raise GlassformerError(
            "lab_shape", name="letters", given=len(given), needed=f"1 … {LONGEST}"
        )
    return given


def train_writers(task: Task, width: int, seed: int, steps: int = STEPS) -> Course:
    """Teaches the three writers the same words, with the right letters given as they write.

    Args:
        task: what to learn.
        width: d.
        seed: of the weights and of the words.
        steps: how many, a multiple of `EVERY`; 0 leaves them untrained.

    Returns:
        Their weights along the way.
    """
    start = {way: build_seeded(partial(Writer, way, width), seed) for way in WAYS}
    snapshots = {way: [_weights(writer)] for way, writer in start.items()}
    learning = {way: _learn(writer, task, seed) for way, writer in start.items()}
    for way in count_parts(WAYS * (steps // EVERY), len(WAYS) * (steps // EVERY)):
        snapshots[way].append(next(learning[way]))
    return Course(task, width, seed, {way: tuple(found) for way, found in snapshots.items()})


def write_letters(course: Course, way: Way, steps: int, letters: str) -> Written:
    """Has a writer write a word, the likeliest symbol each time, and tries it on fresh words.

    Args:
        course: of the writers.
        way: which of them.
        steps: after how many steps of training.
        letters: the word, of `LETTERS`.

    Returns:
        What it wrote, where it looked, and how many letters are right by the length of the word.
    """
    writer, wanted = course.writer(way, steps), goal(letters, course.task)
    symbols, weights = _run(writer, _numbers(letters)[None], len(letters) + SPARE)
    row = symbols[0].tolist()
    count = row.index(END) if END in row else len(row)
    text = "".join(LETTERS[each] for each in row[:count])
    return Written(
        text=text,
        ended=END in row,
        right=sum(one == other for one, other in zip(text, wanted, strict=False)),
        weights=weights[0, : count + 1],
        accuracy=_accuracy(writer, course.task),
        parameters=sum(each.numel() for each in writer.parameters()),
    )


def _learn(writer: Writer, task: Task, seed: int) -> Iterator[Weights]:
    """The weights after every `EVERY` steps."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(writer.requires_grad_(True).parameters(), lr=RATE)
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = RATE * (1 - (1 - LAST_RATE) * step / STEPS)
        length = int(torch.randint(2, TRAINED_TO + 1, (1,), generator=generator))
        letters = torch.randint(END, (BATCH, length), generator=generator)
        wanted = letters.flip(1) if task == "reverse" else letters
        mark = torch.full((BATCH, 1), END)
        with torch.enable_grad():
            states, last = writer.read(letters)
            logits = writer.write(torch.cat([mark, wanted], dim=1), last, states)[0]
            loss = cross_entropy(logits.flatten(0, 1), torch.cat([wanted, mark], 1).flatten())
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(writer.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % EVERY == 0:
            yield _weights(writer)


def _weights(writer: Writer) -> Weights:
    return {name: each.detach().clone() for name, each in writer.state_dict().items()}


def _numbers(letters: str) -> Tensor:
    return torch.tensor([LETTERS.index(each) for each in letters])


@torch.no_grad()
def _run(writer: Writer, letters: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The likeliest symbols, one after the other: (B, count), and the weights (B, count, S)."""
    states, state = writer.read(letters)
    symbol = torch.full((len(letters), 1), END)
    symbols, rows = [], []
    for _ in range(count):
        logits, state, weights = writer.write(symbol, state, states)
        symbol = logits.argmax(dim=-1)
        symbols.append(symbol)
        rows.append(weights)
    return torch.cat(symbols, dim=1), torch.cat(rows, dim=1)


def _accuracy(writer: Writer, task: Task) -> Tensor:
    generator = torch.Generator().manual_seed(2**31)  # words of no training
    shares = []
    for length in range(1, LONGEST + 1):
        letters = torch.randint(END, (TRIED, length), generator=generator)
        wanted = letters.flip(1) if task == "reverse" else letters
        shares.append((_run(writer, letters, length)[0] == wanted).double().mean())
    return torch.stack(shares)

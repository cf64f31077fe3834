"""Sentence pairs that somebody typed, pasted or uploaded: read, or told what is wrong where.

One pair a line, the two sides parted by a tab, by " = ", or as CSV; UTF-8 with or without its
mark. Lines are counted from 1, as editors do.
"""

import codecs
import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from glassformer.core.interruption import count_parts
from glassformer.core.text.normalize import HAN, has_word, is_han, normalize
from glassformer.core.text.tokenizer import LIMIT
from glassformer.core.text.words import split_words
from glassformer.core.training.queue.lessons import SentencePair, reference_vocabulary

FEWEST, MOST = 20, 50_000  # pairs
MOST_BYTES = 4 * 2**20
MOST_LINES = 2 * MOST  # that are read, good and bad
LONGEST_SIDE = 1_000  # characters; to divide so much Chinese into words takes 60 ms
TAB, EQUALS, COMMA = "\t", " = ", ","
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
PARTS = re.compile(rf"[{HAN}]|[^\s{HAN}.,?!;:]+|[.,?!;:]")
HEADINGS = frozenset(
    "english chinese en zh source target src tgt 英文 中文 英语 汉语 原文 译文".split()
)
LISTED = 3  # lines named by a note


@dataclass(frozen=True)
class Problem:
    """Why a line (None: the whole file) cannot be used; the app says it by key and values."""

    key: str
    line: int | None = None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """What was done to a usable file, or is odd in it."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PairFile:
    """What a file holds: the good pairs in their order, and all that there is to say."""

    pairs: tuple[SentencePair, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def bad_lines(self) -> tuple[Problem, ...]:
        """The problems that leaving out a line solves."""
        return tuple(problem for problem in self.problems if problem.line is not None)

    @property
    def is_trainable(self) -> bool:
        """Whether the good pairs are enough, whatever else is wrong."""
        return len(self.pairs) >= FEWEST


def read_pairs(given: str | bytes, name: str = "") -> PairFile:
    """The pairs of a text or of a file's bytes; nothing is raised, problems are told.

    A file of long Chinese lines may take a minute: it can be interrupted after each line.

    Args:
        given: what was typed or pasted, or the bytes of a file.
        name: of the file; ".csv" and ".tsv" say how its columns are parted, otherwise the lines
            do.

    Returns:
        The good pairs, with the problems and notes by line; Chinese on the left is turned to the
        right.
    """
    data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
    if len(data) > MOST_BYTES:
        return _refused("too_large", given=f"{len(data) / 2**20:.1f}", limit=MOST_BYTES // 2**20)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _refused("utf16")
    if b"\0" in data:
        return _refused("binary", at=data[: data.index(b"\0")].count(b"\n") + 1)
    data = data.removeprefix(codecs.BOM_UTF8)
    if (count := len(data.splitlines())) > MOST_LINES:
        return _refused("too_many_lines", given=f"{count:,}", limit=f"{MOST_LINES:,}")
    lines, problems = _decoded(data)
    if not any(text.strip() for _, text in lines):
        return PairFile(problems=(*problems, Problem("empty")))
    rows = _Rows(problems)
    cells_of = _cells(lines, _separator(lines, name), problems)
    for line, cells in count_parts(cells_of, len(lines)):
        rows.take(line, cells)
    return rows.file()


def _refused(key: str, **values: Any) -> PairFile:
    return PairFile(problems=(Problem(key, None, values),))


def _decoded(data: bytes) -> tuple[list[tuple[int, str]], list[Problem]]:
    """(line number, text) of the lines that are UTF-8, and those that are not."""
    lines, problems = [], []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            lines.append((number, line.decode("utf-8")))
        except UnicodeDecodeError as error:
            values = {"byte": f"{line[error.start]:02X}", "place": error.start + 1}
            problems.append(Problem("not_utf8", number, values))
    return lines, problems


def _separator(lines: Sequence[tuple[int, str]], name: str) -> str:
    """What parts the two sides in most lines: a tab, else " = ", else a comma."""
    if name.lower().endswith((".csv", ".tsv")):
        return COMMA if name.lower().endswith(".csv") else TAB
    texts = [text for _, text in lines if text.strip()]
    counts = {mark: sum(mark in text for text in texts) for mark in (TAB, EQUALS, COMMA)}
    often = [mark for mark, count in counts.items() if 2 * count >= len(texts)]
    return often[0] if often else max(counts, key=lambda mark: counts[mark])


def _cells(
    lines: Sequence[tuple[int, str]], separator: str, problems: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of every line that is not empty."""
    if separator != COMMA:
        for number, text in lines:
            if text.strip():
                yield number, text.split(separator, 1 if separator == EQUALS else -1)
        return
    numbers = [number for number, _ in lines]
    reader = csv.reader((f"{text}\n" for _, text in lines), strict=True)
    while True:
        first = numbers[min(reader.line_num, len(numbers) - 1)]
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            problems.append(Problem("quotes", first))
            continue
        if any(cell.strip() for cell in cells):
            yield first, cells


class _Rows:
    """Judges one row after the other."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems
        self._pairs: list[SentencePair] = []
        self._targets: dict[str, dict[str, int]] = defaultdict(dict)  # source -> target -> line
        self._wide, self._repeated, self._headed = list[int](), list[int](), False

    def take(self, line: int, cells: list[str]) -> None:
        """Adds the pair of a row, or what is wrong with it."""
        cells = [cell.strip() for cell in cells]
        if self._is_heading(cells):
            self._headed = True
            return
        problem = _wrong_with(line, cells)
        if problem is not None:
            self._problems.append(problem)
            return
        if len(cells) > 2:
            self._wide.append(line)
        source, target = cells[:2]
        known = self._targets[source]
        if target in known:
            self._repeated.append(line)
            return
        known[target] = line
        self._pairs.append((source, target))

    def file(self) -> PairFile:
        """Everything that was found, problems in the order of their lines."""
        problems = sorted(self._problems, key=lambda problem: problem.line or 0)
        if len(self._pairs) < FEWEST:
            values = {"given": len(self._pairs), "least": FEWEST}
            problems.append(Problem("too_few", None, values))
        pairs, notes = self._pairs[:MOST], list(self._notes())
        if _is_turned(pairs):
            pairs = [(target, source) for source, target in pairs]
            notes.append(Note("turned"))
        return PairFile(tuple(pairs), tuple(problems), tuple(notes))

    def _is_heading(self, cells: list[str]) -> bool:
        first = not self._pairs and not self._problems and not self._headed
        return first and len(cells) > 1 and {cell.lower() for cell in cells[:2]} <= HEADINGS

    def _notes(self) -> Iterator[Note]:
        if self._headed:
            yield Note("heading")
        if self._wide:
            yield Note("columns", _some(self._wide))
        if self._repeated:
            yield Note("repeated", _some(self._repeated))
        twice = [max(known.values()) for known in self._targets.values() if len(known) > 1]
        if twice:
            yield Note("ambiguous", _some(sorted(twice)))
        if len(self._pairs) > MOST:
            yield Note("cut", {"given": len(self._pairs), "most": MOST})


def _some(lines: Sequence[int]) -> dict[str, Any]:
    named = ", ".join(map(str, lines[:LISTED])) + (" …" if len(lines) > LISTED else "")
    return {"count": len(lines), "lines": named}


def _wrong_with(line: int, cells: list[str]) -> Problem | None:
    if len(cells) < 2:
        return Problem("no_separator", line, {"text": _shortened(cells[0])})
    for number, cell in enumerate(cells[:2], 1):
        if not cell:
            return Problem("side_empty", line, {"side": number})
        if found := CONTROL.search(cell):
            values = {"code": f"U+{ord(found[0]):04X}", "place": found.start() + 1, "side": number}
            return Problem("control", line, values)
        if len(cell) > LONGEST_SIDE:
            values = {"side": number, "given": len(cell), "limit": LONGEST_SIDE}
            return Problem("side_long", line, values)
        if not has_word(cell):
            return Problem("no_words", line, {"side": number, "text": _shortened(cell)})
    for number, cell in enumerate(cells[:2], 1):  # what takes time comes last
        length = _length(cell)
        if length > LIMIT - 1:
            return Problem("too_long", line, {"side": number, "given": length, "limit": LIMIT - 1})
    return None


def _shortened(text: str) -> str:
    clean = CONTROL.sub("�", text)
    return clean if len(clean) <= 30 else clean[:29] + "…"


def _length(text: str) -> int:
    """Words of a side. Chinese is divided into words only where its characters are too many."""
    rough = len(PARTS.findall(text))
    return rough if rough < LIMIT else len(split_words(normalize(text), reference_vocabulary()))


def _is_turned(pairs: Sequence[SentencePair]) -> bool:
    """Whether Chinese stands on the left: on the right it is where the screens expect it."""
    chinese = [sum(any(map(is_han, pair[side])) for pair in pairs) for side in (0, 1)]
    return chinese[0] > len(pairs) / 2 > chinese[1]

"""A guard against going in circles: greedy decoding may say the same words for ever.

It forbids a word that would make the words before it stand once more in a row, or a group of three
once more anywhere, beyond what the source itself does. It never speaks where nothing loops: a
translation that does not circle is, bit for bit, the one without a guard.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, takewhile

import torch
from torch import Tensor

WORD_IN_A_ROW = 2  # "very very" is said on purpose
GROUP_IN_A_ROW = 1  # several words twice in a row are no accident
FAR = 3  # words of a group that is counted wherever it stands
FAR_TIMES = 2
PATIENCE = 3  # so often it forbids a word; then the sentence ends


@dataclass(frozen=True)
class NoRepeat:
    """What one source sentence allows.

    word, group: how often a word, a group of words, may stand in a row. far: how often a group of
    three may stand anywhere. marks: ids that are no words; two never stand together, and between
    words they count for nothing.
    """

    word: int = WORD_IN_A_ROW
    group: int = GROUP_IN_A_ROW
    far: int = FAR_TIMES
    marks: frozenset[int] = frozenset()

    @classmethod
    def of(cls, source: Sequence[int], marks: Collection[int] = ()) -> "NoRepeat":
        """The guard of a source: what is said again there may be said again here.

        Args:
            source: its ids.
            marks: ids that are no words, such as those of punctuation.

        Returns:
            The guard.
        """
        words = [index for index in source if index not in marks]
        run, times = longest_run(words)
        again = times if len(run) > 1 or times > WORD_IN_A_ROW else 1
        pairs = Counter(pairwise(words))
        most = max(pairs.values(), default=1)
        return cls(
            word=max(WORD_IN_A_ROW, again),
            group=max(GROUP_IN_A_ROW, again),
            far=max(FAR_TIMES, most + 1),
            marks=frozenset(marks),
        )

    def forbids(self, written: Sequence[int]) -> frozenset[int]:
        """The ids that would close a circle after the ones written so far.

        Args:
            written: ids, without the begin token.

        Returns:
            The ids; after a mark all marks are among them.
        """
        words = [index for index in written if index not in self.marks]
        closing = {words[-size] for size in range(1, len(words) + 1) if self._circles(words, size)}
        closing |= self._far(words)
        if written and written[-1] in self.marks:
            closing |= self.marks
        return frozenset(closing)

    def _circles(self, words: list[int], size: int) -> bool:
        """Whether repeating the word `size` places back would complete one block too many."""
        allowed = self.word if size == 1 else self.group
        length = size * (allowed + 1)
        if len(words) < length - 1:
            return False
        row = [*words[len(words) - length + 1 :], words[-size]]
        return all(row[i] == row[i - size] for i in range(size, length))

    def _far(self, words: list[int]) -> set[int]:
        """Words that would complete a group of three once more than is allowed."""
        groups = Counter(zip(*(words[i:] for i in range(FAR)), strict=False))
        tail = tuple(words[1 - FAR :])
        return {
            group[-1]
            for group, times in groups.items()
            if group[:-1] == tail and times >= self.far and len(set(group)) > 1
        }


class Watch:
    """A guard at work on one sentence: it loses patience with a model that keeps circling."""

    def __init__(self, guard: NoRepeat, end: int) -> None:
        self._guard = guard
        self._end = end
        self._spoken = 0

    def choose(
        self, best: int, best_but: Callable[[Collection[int]], int], written: Sequence[int]
    ) -> tuple[int, int | None]:
        """What is taken, and the better id that the guard forbade, if it spoke.

        Args:
            best: the model's choice.
            best_but: its choice without some ids.
            written: the ids before.

        Returns:
            The id, and `best` where it was forbidden, else None. When the guard has spoken more
            than three times, the id is that of the end.
        """
        closing = self._guard.forbids(written)
        if best not in closing:
            return best, None
        self._spoken += 1
        return (self._end if self._spoken > PATIENCE else best_but(closing)), best


def choose_batch(
    logits: Tensor, written: Sequence[Sequence[int]], watches: Sequence[Watch]
) -> Tensor:
    """The next word of many sentences, each with its watch.

    Args:
        logits: (B, V), a row a sentence.
        written: the ids of each sentence so far, without the begin token.
        watches: one for each sentence; they count how often they spoke.

    Returns:
        (B,) int64, ids.
    """

    def best_but(row: Tensor, ids: Collection[int]) -> int:
        index = torch.tensor([*ids], dtype=torch.long, device=row.device)
        return int(row.index_fill(0, index, -torch.inf).argmax())

    tops = logits.argmax(dim=-1).tolist()  # (B,)
    taken = [
        watch.choose(top, partial(best_but, row), before)[0]
        for row, top, before, watch in zip(logits, tops, written, watches, strict=True)
    ]
    return torch.tensor(taken, device=logits.device)


def longest_run(words: Iterable[Hashable]) -> tuple[tuple[Hashable, ...], int]:
    """The words that stand in a row most often.

    Of equal stretches the shortest words are named: "no" four times, not "no no" twice.

    Args:
        words: in their order, as ids or anything else that can be compared.

    Returns:
        The words, and how often they stand in a row; ((), 1) where none repeat.
    """
    row = list(words)
    found: tuple[tuple[Hashable, ...], int] = ((), 1)
    for size in range(1, len(row) // 2 + 1):
        for start in range(len(row) - 2 * size + 1):
            stretch = row[start : start + size]
            following = (row[at : at + size] for at in range(start, len(row), size))
            times = len([*takewhile(stretch.__eq__, following)])
            if times > 1 and size * times > len(found[0]) * found[1]:
                found = (tuple(stretch), times)
    return found

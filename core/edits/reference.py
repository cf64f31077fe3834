"""What a head says on average: the mean of its output over a fixed set of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from core.errors import GlassformerError
from core.translator import Translator

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


def mean_contexts(model: Translator, sentences: Sequence[str] = REFERENCE) -> Mapping[str, Tensor]:
    """The mean output of each head over all rows of all sentences, decoded greedily.

    Returns:
        (H, K) by the address of `context`; a model that can read none of the sentences, because
        it was trained on other languages, gives `GlassformerError("reference_unreadable")`.
    """
    sums: dict[str, Tensor] = {}
    rows: dict[str, int] = {}
    for sentence in sentences:
        try:
            trace = model.trace(sentence)
        except GlassformerError:
            continue
        for address in trace:
            if address.endswith("attention/context"):
                context = trace[address][0]  # (H, T, K)
                sums[address] = sums.get(address, torch.zeros(())) + context.sum(dim=-2)
                rows[address] = rows.get(address, 0) + context.size(-2)
    if not sums:
        raise GlassformerError("reference_unreadable")
    return {address: total / rows[address] for address, total in sums.items()}

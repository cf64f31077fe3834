"""The model card on typed sentences: how many are right, whether the badge knows, and the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from core.training.card_tables import percent, table
from core.training.evaluate import Metrics
from core.training.measures.calibration import Calibration
from core.training.measures.free_typed import SETS, Answer, Verdict, by_direction
from core.training.measures.tally import tally

ABOUT = {
    "everyday": "everyday sentences; the grammar was widened with some of them in mind",
    "open": "written before any result was seen; the grammar was then widened with them in mind",
    "sealed": "written before any result was seen and never tuned on: the honest figure",
    "teachers": "sentences that teaching uses; the grammar was widened with them in mind",
    "teachers_sealed": "as many of the same kinds, written with them and never tuned on",
    "daily": "short everyday sentences; the grammar was widened with them in mind",
    "daily_sealed": "others of that kind, written beside them and never tuned on",
}
VERDICTS: tuple[Verdict, ...] = ("accepted", "acceptable", "wrong", "not judged")


def typed(metrics: Metrics, lists: Sequence[str]) -> str:
    """How many typed sentences of each set came out right."""
    if not metrics.typed:
        return ""
    lines = []
    for name, found in metrics.typed.items():
        directions = by_direction(found)
        counts = Counter(answer.verdict for answer in found)
        lines.append(
            [
                f"{name} (`{SETS[name]}`)",
                percent(tally(answer.right for answer in found)),
                str(len(found)),
                *(percent(directions.get(direction)) for direction in ("en-zh", "zh-en")),
                *(str(counts[verdict]) for verdict in VERDICTS),
            ]
        )
    heads = ["set", "right", "sentences", "en-zh", "zh-en", *VERDICTS]
    return "\n\n".join(
        [
            "## Typed sentences",
            table(heads, lines),
            "\n".join(f"- {name}: {ABOUT[name]}." for name in metrics.typed),
            "Accepted: one of the translations listed with the sentence; marks, letter case and"
            " spaces do not count. Acceptable: another output that was read and judged right, with"
            " a reason, in `assets/sentences/judgements.json`; wrong: judged wrong there. An output"
            " that nobody judged counts as wrong. Every sentence, output and judgement:"
            f" {', '.join(f'[{name}]({name})' for name in lists)}.",
        ]
    )


def badge(metrics: Metrics) -> str:
    """Whether the badge “unsure” stands on the wrong translations."""
    if not metrics.calibration:
        return ""
    lines = [
        [
            name,
            f"{percent(each.wrong_badged)} of {each.wrong_badged.total}",
            f"{percent(each.badged_wrong)} of {each.badged_wrong.total}",
            f"{percent(each.right_badged)} of {each.right_badged.total}",
            f"{each.error:.3f}",
        ]
        for name, each in metrics.calibration.items()
    ]
    heads = ["set", "wrong ones badged", "badged ones wrong", "right ones badged", "ECE"]
    return "\n\n".join(
        [
            "## The badge “unsure”",
            table(heads, lines),
            "ECE, the expected calibration error: how far the score is from the share that is"
            " right, on average over ten bins of scores. Held out: the first held-out sentences"
            " without copy slots, given to the app as text. The score was fitted with the everyday"
            " and the open set and with other held-out sentences, so only the sealed set and the"
            " held-out row test it. A refused text counts as wrong and badged. By score:",
            _reliability(metrics.calibration),
        ]
    )


def _reliability(calibrations: dict[str, Calibration]) -> str:
    lows = sorted({each.low for one in calibrations.values() for each in one.bins}, reverse=True)
    by_low = {
        name: {each.low: each.right for each in one.bins} for name, one in calibrations.items()
    }
    lines = []
    for low in lows:
        found = (bins.get(low) for bins in by_low.values())
        cells = (f"{percent(each)} of {each.total}" if each else "–" for each in found)
        lines.append([f"from {low:.1f}", *cells])
    return table(["score", *(f"{name}, right" for name in calibrations)], lines)


def free_typed_list(name: str, sets: Mapping[str, Sequence[Answer]]) -> str:
    """Every typed sentence with its output, verdict and badge, the wrong ones first."""
    parts = [
        f"# Typed sentences: {name}",
        "Written by `make evaluate`. Accepted: one of the listed translations. Acceptable and"
        " wrong: read and judged, with the reason. Not judged counts as wrong. Score: the badge's"
        " own, 0 to 1; ⚠ is the badge “unsure”.",
    ]
    for kind, found in sets.items():
        right = tally(answer.right for answer in found)
        parts += [
            f"## {kind}: {right.right} of {right.total} right ({percent(right)})",
            table(
                ["id", "typed", "output", "verdict", "why, or what was expected", "badge"],
                map(_line, _wrong_first(found)),
            ),
        ]
    return "\n\n".join(parts)


def _wrong_first(found: Iterable[Answer]) -> list[Answer]:
    order = VERDICTS[::-1]
    return sorted(found, key=lambda answer: order.index(answer.verdict))


def _line(answer: Answer) -> list[str]:
    sentence = answer.sentence
    expected = "" if answer.verdict == "accepted" else f"expected {sentence.accepted[0]}"
    sign = "" if answer.sure else "⚠ "
    return [
        sentence.id,
        sentence.text,
        answer.output,
        answer.verdict,
        answer.why or expected,
        f"{sign}{answer.score:.2f}",
    ]

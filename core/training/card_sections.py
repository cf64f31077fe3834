"""The sections of a model card: the figures as tables, in the prose of card.toml.

A section that has nothing to tell is "".
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from glassformer.core.corpus import DIRECTIONS
from glassformer.core.trace.address import Address
from glassformer.core.training.evaluate import Metrics
from glassformer.core.training.evaluation.attention import ROLES, Part
from glassformer.core.training.evaluation.interventions import WAYS, Without
from glassformer.core.training.evaluation.passes import Tally, best_tally, count_true
from glassformer.core.training.evaluation.typed import (
    SETS,
    Answer,
    Calibration,
    Verdict,
    by_direction,
)

PROSE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("card.toml").read_text("utf-8"))
VERDICTS: tuple[Verdict, ...] = ("accepted", "acceptable", "wrong", "not judged")
MATTERS = 0.02  # a share; a smaller loss is no more than a few sentences
HEADS_SHOWN = 8


def card_passage(passage: str, /, **values: object) -> str:
    """A passage of card.toml with its values.

    Args:
        passage: its key in card.toml.
        **values: what its places in braces are filled with.

    Returns:
        The text.

    Raises:
        KeyError: there is no such passage, or a place has no value.
    """
    text: str = PROSE[passage]
    return text.format(**values)


def format_percent(found: Tally | float | None) -> str:
    """`97.3 %`, of a tally or a share; a dash for nothing counted.

    Args:
        found: a tally, a share 0..1, or None.

    Returns:
        Percent with one decimal; “–” for None and for a tally of nothing.
    """
    if isinstance(found, float):
        return f"{100 * found:.1f} %"
    return "–" if found is None else str(found)


def _of(found: Tally | None) -> str:
    """`97.3 % of 200`."""
    return "–" if found is None else f"{format_percent(found)} of {found.total}"


Cell = str | int | float | Tally | None


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A Markdown table of texts, counts and what `format_percent` takes; bars in it are escaped.

    Args:
        heads: of the columns.
        rows: as many cells each as there are heads.

    Returns:
        The table, without a line end after its last row.
    """
    lines: list[Sequence[Cell]] = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: Cell) -> str:
    text = str(value) if isinstance(value, str | int) else format_percent(value)
    return text.replace("|", "\\|")


def teaching_section(about: Mapping[str, Any]) -> str:
    """Whether anything told the heads where to look.

    Args:
        about: what the model's config.json says.

    Returns:
        The section; "" for a model that was not trained here.
    """
    if "training" not in about:
        return ""
    taught = about.get("taught", {})
    if not taught:
        return card_passage("plain")
    tasks = [f"{_place(**where)} ({PROSE['tasks'][task]})" for task, where in taught.items()]
    return card_passage("taught", tasks=" and ".join(tasks))


def _place(address: str, head: int | None) -> str:
    """`decoder cross-attention layer 2 head 1`, from the address of the weights."""
    return Part(Address.of(address).place, head).name + (", mean of heads" if head is None else "")


def held_out(metrics: Metrics) -> str:
    """Held-out sentences word for word, by BLEU and chrF, and pronouns with two readings.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section.
    """
    scores = metrics.written.scores
    values = {name: f"{score.value:.1f}" for name, score in scores.items()}
    lines: list[list[Cell]] = []
    for direction, found in metrics.written.exact.items():
        measured = (values.get(f"{direction} {kind}") for kind in ("BLEU", "chrF"))
        lines.append(
            [direction, found, found.total, *(each or "not measured" for each in measured)]
        )
    return card_passage(
        "held_out",
        table=markdown_table(["", "every word right", "sentences", "BLEU", "chrF"], lines),
        coreference=format_percent(metrics.coreference),
        readings=metrics.coreference.total,
        signatures="\n".join(f"- {name}: `{each.signature}`" for name, each in scores.items()),
    )


def typed_section(metrics: Metrics, lists: Sequence[str]) -> str:
    """How many typed sentences of each set came out right.

    Args:
        metrics: the figures of one evaluation.
        lists: names of the files that list the sentences.

    Returns:
        The section; "" where no set was measured.
    """
    if not metrics.typed:
        return ""
    lines: list[list[Cell]] = []
    for name, found in metrics.typed.items():
        counts = Counter(answer.verdict for answer in found)
        right: list[Cell] = [count_true(answer.right for answer in found), len(found)]
        each_way = map(by_direction(found).get, DIRECTIONS)
        verdicts = (counts[verdict] for verdict in VERDICTS)
        lines.append([f"{name} (`{SETS[name]}`)", *right, *each_way, *verdicts])
    heads = ["set", "right", "sentences", *DIRECTIONS, *VERDICTS]
    return card_passage(
        "typed",
        table=markdown_table(heads, lines),
        sets="\n".join(f"- {name}: {PROSE['sets'][name]}." for name in metrics.typed),
        lists=", ".join(f"[{name}]({name})" for name in lists),
    )


def badge_section(calibrations: Mapping[str, Calibration]) -> str:
    """Whether the badge “unsure” stands on the wrong translations.

    Args:
        calibrations: by set.

    Returns:
        The section with its reliability table; "" where nothing was measured.
    """
    if not calibrations:
        return ""
    lines = [
        [name, *map(_of, (each.wrong_badged, each.badged_wrong, each.right_badged)),
         f"{each.error:.3f}"]
        for name, each in calibrations.items()
    ]  # fmt: skip
    heads = ["set", "wrong ones badged", "badged ones wrong", "right ones badged", "ECE"]
    lows = sorted({each.low for one in calibrations.values() for each in one.bins}, reverse=True)
    by_low = [{each.low: each.right for each in one.bins} for one in calibrations.values()]
    bins = [[f"from {low:.1f}", *(_of(found.get(low)) for found in by_low)] for low in lows]
    columns = ["score", *(f"{name}, right" for name in calibrations)]
    return card_passage(
        "badge", table=markdown_table(heads, lines), reliability=markdown_table(columns, bins)
    )


def attention_section(metrics: Metrics) -> str:
    """How well cross-attention aligns, and which encoder head finds the antecedent.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section; without a table where there is no alignment.
    """
    lines: list[list[Cell]] = []
    for direction, looks in metrics.alignment.items():
        layers = {name: found for name, found in looks.items() if "head" not in name}
        head = best_tally(looks, "head")
        named = "–" if head is None else f"{head[0]}, {format_percent(head[1])}"
        lines.append([direction, *layers.values(), named])
        heads = ["", *(f"{name}, mean of heads" for name in layers), "best single head"]
    parts = [
        card_passage("attention"),
        markdown_table(heads, lines) if lines else "",
        card_passage("alignment"),
        *(_antecedent(metrics, direction) for direction in metrics.antecedent),
    ]
    return "\n\n".join(part for part in parts if part)


def _antecedent(metrics: Metrics, direction: str) -> str:
    """The head that shows the antecedents most, and what happens to pronouns without it."""
    looks = metrics.antecedent[direction]
    found = best_tally(looks)
    if found is None:
        return ""
    name, share = found
    every = ", ".join(f"{each} {format_percent(seen)}" for each, seen in looks.items())
    text = card_passage(
        "antecedent", direction=direction, head=name, share=format_percent(share),
        total=share.total, every=every,
    )  # fmt: skip
    ways = metrics.knock_outs.get(f"encoder self-attention {name}")
    if not ways or direction != "en-zh":  # translating a Chinese pronoun needs no antecedent
        return text
    before = _baseline(metrics).coreference
    left = {PROSE["ways"][way]: found.coreference for way, found in sorted(ways.items())}
    matters = max(before.rate - each.rate for each in left.values()) >= MATTERS
    needed = card_passage(
        "needed", head=name, share=format_percent(before), total=before.total,
        without=", ".join(f"{format_percent(each)} ({way})" for way, each in left.items()),
        needed="depends" if matters else "does not depend",
    )  # fmt: skip
    return f"{text}\n\n{needed}"


def roles_section(metrics: Metrics) -> str:
    """The head that plays each role most, in each direction, and the model without it.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section; "" where no rows of a role were counted.
    """
    lines: list[list[Cell]] = []
    for direction, found in metrics.roles.items():
        for role in ROLES:
            played = {part: tallies[role] for part, tallies in found.items() if role in tallies}
            if any(each.total for each in played.values()):
                part = max(played, key=lambda each: (played[each].total > 0, played[each].rate))
                ways = metrics.knock_outs.get(part.name, {})
                left = [ways[w].exact.get(direction) if w in ways else None for w in WAYS]
                lines.append([direction, role, part.name, _of(played[part]), *left])
    columns = ["", "role", "head", "of rows", "exact without it, zeroed", "at its mean"]
    return card_passage("roles", table=markdown_table(columns, lines)) if lines else ""


def sharpness_section(metrics: Metrics) -> str:
    """How sharp each attention is, and what the division by √d_k (§3.2.1) does to it.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section, a row for each attention as a whole; "" where none was measured.
    """
    lines: list[list[Cell]] = []
    for part, found in metrics.sharpness.items():
        if part.head is None:
            end = None if "decoder self" in part.name else found.end
            shares = part.name, found.saturated, found.unscaled, end
            lines.append([*shares, f"{found.score:.1f}", metrics.unscaled.get(part)])
    columns = ["attention", "rows with a weight > 0.99", "without √d_k", "weight on `<eos>`"]
    columns += ["mean absolute score", "translations that change without √d_k"]
    return card_passage("sharpness", table=markdown_table(columns, lines)) if lines else ""


def redirects_section(metrics: Metrics) -> str:
    """Attention turned by hand to the other noun: how often the translation follows.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section; "" where nothing was turned.
    """
    if not metrics.flips:
        return ""
    shown = {name: found for name, found in metrics.flips.items() if name.split()[-2] == "all"}
    for stack in ("decoder", "encoder"):
        singles = {n: t for n, t in metrics.flips.items() if n.startswith(stack) and "head " in n}
        if found := best_tally(singles):
            shown[f"{found[0]}, the {stack} head alone that flips most"] = found[1]
    lines: list[list[Cell]] = [[name, found, found.total] for name, found in shown.items()]
    return card_passage(
        "redirects",
        share=format_percent(metrics.resolved),
        total=metrics.resolved.total,
        table=markdown_table(["turned", "nouns that flip", "of"], lines),
    )


def knock_outs(metrics: Metrics) -> str:
    """The model without whole attentions, and without the heads that are missed most.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        The section, at most `HEADS_SHOWN` heads in it; "" where nothing was taken away.
    """
    if not metrics.knock_outs:
        return ""
    before = _baseline(metrics)
    parts = {name: ways for name, ways in metrics.knock_outs.items() if name != "nothing"}
    heads = sorted((name for name in parts if "head" in name), key=lambda name: _left(parts[name]))
    shown = [*(name for name in parts if "head" not in name), *heads[:HEADS_SHOWN]]
    untouched = _cells(before)
    lines: list[list[Cell]] = [["nothing", *untouched, *([""] * len(untouched))]]
    lines += [[name, *(c for way in WAYS for c in _cells(parts[name][way]))] for name in shown]
    what = ("pronouns", *before.exact)
    columns = [f"{name}, {way}" for way in WAYS for name in what]
    return card_passage(
        "knock_outs",
        readings=before.coreference.total,
        sentences=", ".join(f"{found.total} {name}" for name, found in before.exact.items()),
        table=markdown_table(["without", *columns], lines),
    )


def _left(ways: Mapping[str, Without]) -> float:
    """What is left without a part, so that the smallest comes first."""
    return sum(
        found.rate
        for without in ways.values()
        for found in (without.coreference, *without.exact.values())
        if found.total
    )


def _cells(without: Without) -> list[Cell]:
    return [without.coreference, *without.exact.values()]


def _baseline(metrics: Metrics) -> Without:
    return metrics.knock_outs["nothing"]["unchanged"]


def templates_section(by_template: Mapping[str, Mapping[str, Tally]]) -> str:
    """Every word right, by the pattern of the sentence.

    Args:
        by_template: the tallies of each pattern by direction.

    Returns:
        The section, the patterns sorted by name.
    """
    lines = [
        [template, *(_of(tallies.get(direction)) for direction in DIRECTIONS)]
        for template, tallies in sorted(by_template.items())
    ]
    return card_passage("templates", table=markdown_table(["template", *DIRECTIONS], lines))


def data_section(about: Mapping[str, Any]) -> str:
    """What the model is made of, and what it was trained with.

    Args:
        about: what the model's config.json says.

    Returns:
        The section.
    """
    training = about.get("training", {})
    muon = ", and Muon for the matrices of the layers" if training.get("muon", False) else ""
    return card_passage(
        "data",
        model=about["model"],
        training=", ".join(f"{name} {value}" for name, value in training.items()),
        optimiser=f"Adam (0.9, 0.98){muon}",
    )


def free_typed_list(name: str, sets: Mapping[str, Sequence[Answer]]) -> str:
    """Every typed sentence with its output, verdict and badge, the right ones last.

    Those that nobody has judged come first, then wrong, acceptable and accepted ones.

    Args:
        name: of the model.
        sets: the answers by set.

    Returns:
        The list as Markdown, a table for each set.
    """
    parts, order = [card_passage("list", name=name)], VERDICTS[::-1]
    columns = ["id", "typed", "output", "verdict", "why, or what was expected", "badge"]
    for kind, found in sets.items():
        right = count_true(answer.right for answer in found)
        lines = map(_line, sorted(found, key=lambda answer: order.index(answer.verdict)))
        values = {"right": right.right, "total": right.total, "share": format_percent(right)}
        parts.append(
            card_passage("listed", kind=kind, table=markdown_table(columns, lines), **values)
        )
    return "\n\n".join(parts)


def _line(answer: Answer) -> list[str]:
    sentence = answer.sentence
    expected = "" if answer.verdict == "accepted" else f"expected {sentence.accepted[0]}"
    badge = f"{'' if answer.sure else '⚠ '}{answer.score:.2f}"
    why = answer.why or expected
    return [sentence.id, sentence.text, answer.output, answer.verdict, why, badge]

"""The model card: the figures of an evaluation, written for a reader.

CARD.md says what each figure means; metrics.json has all of them, for programs; FREE_TYPED.md
lists every typed sentence with what came of it. The sealed sentences have a list of their own,
so that whoever works on the grammar can read the first without seeing them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.training.card_attention import attention, knock_out_table, redirects
from core.training.card_heads import heads, role_table, sharpness_table
from core.training.card_tables import percent, table
from core.training.card_typed import badge, free_typed_list, typed
from core.training.evaluate import Metrics
from core.training.measures.free_typed import SEALED, Answer, by_direction, rows
from core.training.measures.knock_out import Part
from core.training.measures.tally import Tally

LIST, SEALED_LIST = "FREE_TYPED.md", "FREE_TYPED_SEALED.md"
TASKS = {
    "alignment": "from the row that writes a word to the words it translates",
    "antecedent": "from a pronoun to the noun it stands for",
}
LIMITS = """\
## Limits

- It knows the words and sentence patterns of its grammar and nothing else. A sentence of another
  pattern is translated as the nearest pattern it knows: words can be dropped or invented, silently.
- A word outside the vocabulary travels in a copy slot: names, nouns and numbers arrive where they
  belong, translated if the gazetteer knows them, else as typed. An unknown verb or adjective is
  treated as a noun. At most four names, four nouns and four numbers a sentence.
- Chinese is written into one canonical English: a bare noun is "the …", 了 is the simple past, a
  mass noun has no article. Other correct translations of held-out sentences count as mistakes.
- The sentences are grammatical rather than sensible: what it learned about the world is which
  words go together in the grammar's lists.
- Attention shows where the model looked, not why it decided; the knock-outs above say what a head
  does."""


def write_card(folder: Path, metrics: Metrics) -> None:
    """Writes metrics.json, CARD.md and the lists of typed sentences beside the weights.

    A list whose set was not measured is removed: it would tell of another evaluation.
    """
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    files = {
        "metrics.json": json.dumps(
            figures(metrics), ensure_ascii=False, indent=0, separators=(",", ":")
        ),
        "CARD.md": _card(folder.name, about, metrics),
    }
    for name, sets in _lists(metrics).items():
        files[name] = free_typed_list(folder.name, sets)
    for name in {LIST, SEALED_LIST} - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def _lists(metrics: Metrics) -> dict[str, dict[str, list[Answer]]]:
    """The sets of typed sentences by the file that lists them."""
    found: dict[str, dict[str, list[Answer]]] = {}
    for kind, given in metrics.typed.items():
        found.setdefault(SEALED_LIST if kind in SEALED else LIST, {})[kind] = given
    return found


def figures(metrics: Metrics) -> dict[str, Any]:
    """All figures as plain values; shares are 0..1."""
    return {
        "exact_match": _plain(metrics.written.exact),
        "scores": {name: score.to_dict() for name, score in metrics.written.scores.items()},
        "by_template": {
            template: _plain(tallies)
            for template, tallies in sorted(metrics.written.by_template.items())
        },
        "coreference_both_readings": metrics.coreference.to_dict(),
        "alignment": {direction: _plain(looks) for direction, looks in metrics.alignment.items()},
        "antecedent": {direction: _plain(looks) for direction, looks in metrics.antecedent.items()},
        "heads": heads(metrics),
        "sharpness": {
            part.name: {**each.to_dict(), "unscaled_changes": round(metrics.unscaled[part].rate, 4)}
            for part, each in metrics.sharpness.items()
            if part in metrics.unscaled
        },
        "redirect": {"resolved": metrics.resolved.to_dict(), "flipped": _plain(metrics.flips)},
        "knock_out": {
            part: {way: without.to_dict() for way, without in ways.items()}
            for part, ways in metrics.knock_outs.items()
        },
        "typed": {name: _plain(by_direction(found)) for name, found in metrics.typed.items()},
        "badge": {name: each.to_dict() for name, each in metrics.calibration.items()},
        "typed_answers": {name: rows(found) for name, found in metrics.typed.items()},
        "mistakes": metrics.written.mistakes,
    }


def _plain(tallies: dict[str, Tally]) -> dict[str, Any]:
    return {name: tally.to_dict() for name, tally in tallies.items()}


def _card(name: str, about: dict[str, Any], metrics: Metrics) -> str:
    parts = [
        f"# Model card: {name}",
        "An English ↔ Chinese translator small enough to watch, trained from nothing on sentences"
        " that this project's own grammar makes. Written by `make evaluate`; every figure is of"
        " this model, decoding greedily.",
        _teaching(about),
        _held_out(metrics),
        typed(metrics, list(_lists(metrics))),
        badge(metrics),
        attention(metrics),
        role_table(metrics),
        sharpness_table(metrics),
        redirects(metrics),
        knock_out_table(metrics),
        _templates(metrics),
        _data(about),
        LIMITS,
    ]
    return "\n\n".join(part for part in parts if part)


def _teaching(about: dict[str, Any]) -> str:
    """Whether anything told the heads where to look; "" for a model that was not trained here."""
    if "training" not in about:
        return ""
    taught = about.get("taught", {})
    if not taught:
        return "A plain model: only translations taught it; nothing told its heads where to look."
    tasks = [f"{_place(**where)} ({TASKS[task]})" for task, where in taught.items()]
    return (
        "A model with **taught heads**. Beside the translations, it was told where"
        f" {' and '.join(tasks)} should look. What these show was asked of them; whether the"
        " translation needs it is measured below."
    )


def _place(address: str, head: int | None) -> str:
    """`decoder cross-attention layer 2 head 1`, from the address of the weights."""
    stack = address.removesuffix("/weights")
    return Part(stack, head).name + (", mean of heads" if head is None else "")


def _held_out(metrics: Metrics) -> str:
    lines = []
    for direction, tally in metrics.written.exact.items():
        bleu, chrf = (
            f"{metrics.written.scores[f'{direction} {kind}'].value:.1f}"
            if f"{direction} {kind}" in metrics.written.scores
            else "not measured"
            for kind in ("BLEU", "chrF")
        )
        lines.append([direction, percent(tally), str(tally.total), bleu, chrf])
    signatures = [
        f"- {name}: `{score.signature}`" for name, score in metrics.written.scores.items()
    ]
    return "\n\n".join(
        [
            "## Held-out sentences",
            table(["", "every word right", "sentences", "BLEU", "chrF"], lines),
            f"Pronouns: {percent(metrics.coreference)} of {metrics.coreference.total} sentences"
            " are translated rightly in both readings of their pronoun (“… because it was too"
            " tired / wide”, en-zh; Chinese names the noun again).",
            "Held out are combinations of template and fillers: none of these combinations, and"
            " none of the sentences of the first table on either side, occurs in training. Every"
            " word right means equal to the grammar's own sentence, piece by piece. BLEU and chrF"
            " compare the same sentences as one reads them, a copy slot as one word:",
            "\n".join(signatures),
        ]
    )


def _templates(metrics: Metrics) -> str:
    lines = [
        [template, *(_share(tallies.get(direction)) for direction in ("en-zh", "zh-en"))]
        for template, tallies in sorted(metrics.written.by_template.items())
    ]
    note = "Every word right, of the held-out sentences of each template."
    return "\n\n".join(["## By template", note, table(["template", "en-zh", "zh-en"], lines)])


def _data(about: dict[str, Any]) -> str:
    model, training = about["model"], about.get("training", {})
    settings = ", ".join(f"{name} {value}" for name, value in training.items())
    return "\n".join(
        [
            "## Data and recipe",
            "",
            "A fresh stream of sentence pairs from `core/corpus/data`; both directions in one"
            " model, the first target piece says which language to write.",
            "",
            f"- vocabulary: {model['vocabulary_size']} pieces, English and Chinese together",
            f"- model: d_model {model['d_model']}, {model['n_heads']} heads,"
            f" {model['encoder_layers']} + {model['decoder_layers']} layers,"
            f" d_ff {model['d_ff']}, {model['norm_place']}-norm, one embedding table",
            f"- training: {settings}",
            f"- optimiser: {_optimiser(training)}, the paper's schedule with a linear end;"
            " weights stored as float16",
        ]
    )


def _optimiser(training: dict[str, Any]) -> str:
    adam, muon = "Adam (0.9, 0.98)", training.get("muon", False)
    return f"{adam}, and Muon for the matrices of the layers" if muon else adam


def _share(tally: Tally | None) -> str:
    return "–" if tally is None else f"{percent(tally)} of {tally.total}"

"""The small GPT's model card: what was measured of it, and from what it was made."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from glassformer.core.corpus import Grammar
from glassformer.core.training.decoder_alone.documents import (
    held_out_documents,
    held_out_free_documents,
)
from glassformer.core.training.decoder_alone.measure import ROWS, foresee, random_rows, score_heads
from glassformer.core.untrusted import read_json_file
from glassformer.core.weights.opened_model import OpenedModel, open_model

CARD, METRICS = "README.md", "metrics.json"
LABELS = {"held_out": "held-out sentences of the grammar", "free": "free sentences, sealed"}
TEXT = Path(__file__).with_name("card.toml")
PROMPTS = (
    "The cat", "My brother wants to", "The encoder reads", "She went to the park because",
    "Pligarb is a city. We live in Plig", "Blarvik is a doctor. Blar", "What time",
)  # fmt: skip
MORE = 25  # pieces that a prompt is continued by


def measure_gpt(folder: Path, grammar: Grammar, held_out: int) -> dict[str, Any]:
    """All figures of the card.

    Args:
        folder: of the finished model.
        grammar: whose held-out sentences are read.
        held_out: how many.

    Returns:
        What metrics.json holds.
    """
    model, tokenizer = open_model(folder), Tokenizer.from_file(str(folder / "tokenizer.json"))
    texts = {
        "held_out": held_out_documents(grammar, held_out), "free": held_out_free_documents()
    }  # fmt: skip
    return {
        "parameters": sum(each.numel() for each in model.transformer.parameters()),
        "texts": {
            name: foresee(model.transformer, tokenizer, each).to_dict() | {"documents": len(each)}
            for name, each in texts.items()
        },
        "heads": {
            name: score_heads(model.transformer, random_rows(tokenizer, name == "words")).to_dict()
            for name in ("words", "pieces")
        },
        "samples": {prompt: _continued(model, prompt) for prompt in PROMPTS},
    }


def _continued(model: OpenedModel, prompt: str) -> str:
    return model.trace(prompt, more=MORE).output_text.removeprefix(prompt)


def write_gpt_card(folder: Path, grammar: Grammar, held_out: int) -> None:
    """Measures a finished model; writes its card and metrics.json into its folder.

    Args:
        folder: of the model.
        grammar: whose held-out sentences are read.
        held_out: how many.
    """
    found = measure_gpt(folder, grammar, held_out)
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (folder / METRICS).write_text(text, encoding="utf-8")
    about = read_json_file(folder / "config.json")
    (folder / CARD).write_text(gpt_card(about, found), encoding="utf-8")


def gpt_card(about: dict[str, Any], found: dict[str, Any]) -> str:
    """The card of a model.

    Args:
        about: its config.json.
        found: its metrics.json.

    Returns:
        Markdown; the lines in front say the licence, as other people's cards do.
    """
    training, heads, pieces = about["training"], found["heads"]["words"], found["heads"]["pieces"]
    rows = [
        f"| {LABELS[name]} | {each['perplexity_of_a_piece']:.1f} | "
        f"{each['perplexity_of_a_byte']:.2f} | {each['bits_of_a_byte']:.2f} | "
        f"{each['documents']:,} | {each['pieces']:,} |"
        for name, each in found["texts"].items()
    ]
    text: str = tomllib.loads(TEXT.read_text("utf-8"))["text"]
    return text.format(
        **training,
        parameters=f"{found['parameters']:,}",
        rows="\n".join(rows),
        previous=_table(heads["previous_word"]),
        induction=_table(heads["induction"]),
        first=f"{heads['first']:.2f}",
        second=f"{heads['second']:.2f}",
        clear=_clearest(heads),
        clear_pieces=_clearest(pieces),
        first_pieces=f"{pieces['first']:.2f}",
        second_pieces=f"{pieces['second']:.2f}",
        rows_read=ROWS,
        samples="\n".join(
            f"- **{prompt}**{_in_line(text)}" for prompt, text in found["samples"].items()
        ),
    )


def _in_line(text: str) -> str:
    return text.replace("\n", "↵")


def _table(scores: list[list[float]]) -> str:
    heads = range(1, len(scores[0]) + 1)
    lines = ["| layer | " + " | ".join(f"head {head}" for head in heads) + " |"]
    lines.append("| --- |" + " --- |" * len(heads))
    for layer, row in enumerate(scores, 1):
        lines.append(f"| {layer} | " + " | ".join(f"{score:.2f}" for score in row) + " |")
    return "\n".join(lines)


def _clearest(heads: dict[str, Any]) -> str:
    said = []
    for name, title in (("previous_word", "previous word"), ("induction", "induction")):
        score, layer, head = max(
            (score, layer, head)
            for layer, row in enumerate(heads[name], 1)
            for head, score in enumerate(row, 1)
        )
        said.append(f"{title}: layer {layer} head {head}, {score:.2f}")
    return "; ".join(said)

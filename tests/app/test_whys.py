"""*Why here?* and *Which word?*: the numbers that are shown and said, recomputed from the run."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.words import texts_of_language
from glassformer.core.text_models.checkpoints import load_model
from tests.opened_app import drawn, opened, state_of
from tests.sent import send

CELL = {"kind": "encoder", "layer": "2", "head": "1", "query": "8", "key": "2"}
METHODS = 7


def why_here(**query: str) -> AppTest:
    return opened("attention", **{**CELL, "terms": "writers", **query})


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption, *app.warning))


LEVEL = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def tables(app: AppTest) -> list[dict[str, Any]]:
    found = [element.proto for element in app.get("bidi_component")]
    return [json.loads(each.bytes) for each in found if each.component_name.endswith("bar_table")]


def numbers_in(text: str) -> list[float]:
    powers = re.sub("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda it: f"e{it[1].translate(LEVEL)}", text)
    found = re.findall(r"[+−-]?\d+(?:\.\d+)?(?:e[+−-]?\d+)?", powers)
    return [float(each.replace("−", "-")) for each in found]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_why_a_head_looks_there(language: str) -> None:
    app = why_here(language=language)
    (table,) = tables(app)
    *parts, rest, together = table["rows"]
    trace = drawn(app)
    scores = trace["encoder/1/self_attention/scaled"][0, 0, 7]
    difference = float(scores[1] - scores.mean())
    assert together["values"][2] == pytest.approx(difference, abs=1e-5)
    bars = [each["values"][2] for each in (*parts, rest)]
    assert sum(bars) == pytest.approx(difference, abs=1e-5)
    sizes = [abs(each) for each in bars[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    texts = texts_of_language(language)
    pattern = texts["writers.added"].split("{mean}", maxsplit=1)[0]
    line = next(each.value for each in app.caption if each.value.startswith(pattern))
    mean, more, score, error = numbers_in(line.replace(",", " "))[:4]
    assert mean == pytest.approx(float(scores.mean()), abs=6e-3)
    assert more == pytest.approx(difference, abs=6e-3)
    assert score == pytest.approx(float(scores[1]), abs=6e-3)
    assert error < 1e-5 * max(1, abs(score))


def test_the_sentence_names_the_two_largest_parts_of_the_cell() -> None:
    """Recomputed with plain torch: the word of the query × layer 1's network of the key."""
    app = why_here()
    trace, model = drawn(app), load_model().transformer
    (sentence,) = [each.value for each in app.markdown if "chiefly because" in each.value]
    assert "**it**" in sentence
    assert "**animal**" in sentence
    attention: Any = model.encoder.layers[1].self_attention
    width = trace.config.d_k
    cut = slice(width)
    queries, keys = (each.weight[cut].double() for each in (attention.w_q, attention.w_k))
    word = _through_norms(trace, model, "self_attention_residual", trace["source/scaled"][0])
    network: Any = model.encoder.layers[0].feed_forward
    wrote = trace["encoder/0/feed_forward/output"][0] - network.w_2.bias
    wrote = _through_norms(trace, model, "feed_forward_residual", wrote)
    products = (queries @ word[7]) @ (keys @ wrote.T) / width**0.5  # (S,)
    part = float(products[1] - products.mean())
    first = f"the word itself in the query meets feed-forward of layer 1 in the key (+{part:.3g})"
    assert first in sentence


def _through_norms(trace: Any, model: Any, first: str, vectors: torch.Tensor) -> torch.Tensor:
    """A part of the first layer's stream, through the norms after it as this run has them."""
    names = ["self_attention_residual", "feed_forward_residual"]
    vectors = vectors.double()
    for name in names[names.index(first) :]:
        norm = getattr(model.encoder.layers[0], name).norm
        place = f"encoder/0/{name.replace('residual', 'norm')}"
        deviation = trace[f"{place}/std"][0].double()
        centred = vectors - vectors.mean(dim=-1, keepdim=True)
        vectors = norm.gamma.double() * centred / (deviation**2 + norm.epsilon).sqrt()
    return vectors


def test_a_writer_is_a_link_to_what_it_wrote() -> None:
    app = why_here()
    (table,) = tables(app)
    row = next(each for each in table["rows"] if each["texts"][0].startswith("head"))
    head = int(row["texts"][0].rpartition("·")[2])
    app = send(app, "bar_table", "link", {"key": row["key"], "column": 0})
    now = state_of(app)
    assert now.address == "encoder/0/self_attention/context"
    assert now.pins == (("head", head - 1),)
    assert now.token == ("source", 7)


def test_nothing_is_computed_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("glassformer.app.pages.attention.writers.score_writers", refuse)
    monkeypatch.setattr("glassformer.app.panels.which_word.attribute_words", refuse)
    opened("attention", **CELL)
    opened("vectors", vectors="attribution")
    opened("decoding")


@pytest.mark.parametrize("page", ["vectors", "decoding"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_which_word(page: str, language: str) -> None:
    query = {"vectors": {"vectors": "which_word", "token": "target:3"},
             "decoding": {"decoding": "from_words", "moment": "3"}}[page]  # fmt: skip
    app = opened(page, **query, language=language)
    trace = drawn(app)
    row = 2
    assert trace.output_tokens[row] == "穿过"
    logit = float(trace["output/logits"][0, row, trace.output_ids[row]])
    (table,) = tables(app)
    assert len(table["columns"]) == 1 + METHODS
    lines = [each for each in table["rows"] if not each["head"]]
    exact = [each["values"][1] for each in lines[:-1]]
    assert sum(each for each in exact if each is not None) == pytest.approx(logit, abs=1e-5)
    text = said(app)
    assert trace.source_tokens[3] == "cross"
    assert lines[3]["values"][1] == max(each for each in exact if each is not None)
    written = f"+{lines[3]['values'][1]:.3g}"
    assert f"*cross* ({written})" in text or f"*cross*（{written}）" in text
    looks = [each["values"][6] for each in lines]  # attention: the mean of all heads and layers
    maps = [trace[f"decoder/{at}/cross_attention/weights"][0, :, row] for at in range(2)]
    expected = torch.stack(maps).mean(dim=(0, 1))
    assert np.allclose(looks[: len(expected)], expected, atol=1e-6)
    words = lines[: len(trace.source_tokens) + row + 1]
    first = [int(np.argmax([each["values"][at + 1] for each in words])) for at in range(METHODS)]
    agreeing = sum(each == 3 for each in first)
    assert f"{agreeing} of 7" in text or f"{agreeing} 种" in text or agreeing == METHODS


def test_which_word_of_a_switched_run_names_what_the_experiment_set() -> None:
    edits = "heads_off:decoder/1/cross_attention,(0)"
    app = opened("vectors", vectors="which_word", token="target:2", edits=edits)
    (table,) = tables(app)
    assert any(each["key"] == -12 for each in table["rows"])  # what the experiment set
    together = table["rows"][-1]["texts"][1]
    trace = drawn(app)
    logit = float(trace["output/logits"][0, 1, trace.output_ids[1]])
    assert float(together.replace("−", "-")) == pytest.approx(logit, abs=6e-2)


def test_words_are_shown_as_typed() -> None:
    app = opened("vectors", vectors="which_word", token="target:1", text="The <b>cat</b> *sat*")
    drawn_html = "".join(each.proto.body for each in app.get("html"))
    assert "<bdi><b>" not in drawn_html

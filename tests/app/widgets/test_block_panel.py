"""The panel of a block: the tensors it draws, the numbers it prints, its formula."""

import base64
import dataclasses
import json
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from app.figures.block_pictures import block_pictures
from app.figures.theme import Look
from app.widgets.block_panel.facts import facts
from app.widgets.block_panel.formula import formula, formula_addresses
from app.widgets.block_panel.pictures import pictures, words_of
from app.words import say
from core.reading.blocks import Block, block_at, blocks
from core.trace.trace import Trace
from tests.traces import OUTPUT, SOURCE, small_trace

CONFIGS: list[dict[str, Any]] = [
    {},
    {"norm_place": "pre", "final_norm": True, "activation": "gelu"},
    {"source": ("I",), "output": ("<s>",), "positions": "none"},
]
ENGLISH = partial(say, language="en")


def block(trace: Trace, block_id: str) -> Block:
    found = block_at(trace.config, block_id)
    assert found is not None
    return found


def printed(trace: Trace, block_id: str) -> dict[str, str]:
    return dict(facts(trace, block(trace, block_id), ENGLISH))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_block_has_pictures_over_its_words_and_facts(
    config: dict[str, Any], language: str
) -> None:
    trace, speak = small_trace(**config), partial(say, language=language)
    for each in blocks(trace.config):
        drawn, words = pictures(trace, each, speak), words_of(trace, each)
        assert len(drawn) >= 2, each.id
        assert all(picture.values.shape[0] == len(words) for picture in drawn), each.id
        assert all(picture.values.dtype == np.float32 for picture in drawn), each.id
        assert facts(trace, each, speak), each.id
        figure = block_pictures(drawn, words, Look())
        assert len(figure.data) >= len(drawn)
        for address in formula_addresses(each):
            assert address in trace, f"{each.id} prints the equation of {address}"


def test_input_and_output_are_the_recorded_numbers() -> None:
    trace = small_trace()
    drawn = pictures(trace, block(trace, "encoder/1/feed_forward"), ENGLISH)
    names = ("feed_forward_residual/branch_input", "feed_forward/activation", "feed_forward/output")
    for picture, name in zip(drawn, names, strict=True):
        assert np.array_equal(picture.values, trace[f"encoder/1/{name}"][0].numpy())


def test_pre_norm_reads_the_normalised_stream() -> None:
    trace = small_trace(norm_place="pre")
    drawn = pictures(trace, block(trace, "encoder/0/self_attention"), ENGLISH)
    assert np.array_equal(drawn[0].values, trace["encoder/0/self_attention_norm/output"][0].numpy())


def test_attention_shows_the_mean_of_its_heads_and_what_is_masked() -> None:
    trace = small_trace()
    weights = pictures(trace, block(trace, "decoder/0/self_attention"), ENGLISH)[1]
    expected = trace["decoder/0/self_attention/weights"][0].mean(dim=0).numpy()
    assert np.allclose(weights.values, expected)
    assert weights.allowed is not None
    assert np.array_equal(weights.allowed, np.tril(np.ones((10, 10), bool)))
    cross = pictures(trace, block(trace, "decoder/0/cross_attention"), ENGLISH)[1]
    assert cross.columns == trace.source_tokens
    assert cross.values.shape == (10, 12)


def test_a_wide_tensor_is_pooled_and_says_so() -> None:
    trace = small_trace(d_model=16, d_ff=600)
    inside = pictures(trace, block(trace, "encoder/0/feed_forward"), ENGLISH)[1]
    assert inside.values.shape == (12, 200)
    assert inside.step == 3
    activation = trace["encoder/0/feed_forward/activation"][0].numpy()
    assert np.array_equal(inside.values.max(axis=1), activation.max(axis=1))


def test_softmax_lists_the_likeliest_words_with_their_probabilities() -> None:
    trace = small_trace()
    scores, chances = pictures(trace, block(trace, "output/probabilities"), ENGLISH)
    best = trace.candidates(3, 5)
    assert scores.cells[3][0] == best[0].token
    assert chances.values[3] == pytest.approx([each.probability for each in best])
    row = trace["output/logits"][0, 3].sort(descending=True).values[:5]
    assert scores.values[3] == pytest.approx(row.numpy())


def test_the_facts_are_true() -> None:
    trace = small_trace()
    norm = printed(trace, "encoder/0/feed_forward_norm")
    assert norm["feature spread σ"].endswith("→ 1.00")
    assert norm["feature mean"].endswith("→ ≈ 0")
    fired = (trace["encoder/0/feed_forward/activation"][0] > 0).float().mean().item()
    feed_forward = printed(trace, "encoder/0/feed_forward")
    assert feed_forward["units that fired, per word"] == f"{fired:.0%}"
    assert feed_forward["fired for no word"].endswith("of 24")
    heads = printed(trace, "decoder/1/cross_attention")["entropy per head"]
    assert len(heads.removesuffix(" nats").split()) == 4
    layer = printed(trace, "decoder/1")
    assert {"Masked self-attention", "Cross-attention", "Feed-forward"} <= set(layer)


def test_numbers_that_are_none_are_said_to_be_none() -> None:
    trace = small_trace()
    broken = trace["encoder/0/feed_forward_residual/summed"].clone()
    broken[0, 2] = torch.nan
    tensors = {**trace.tensors, "encoder/0/feed_forward_residual/summed": broken}
    spoilt = dataclasses.replace(trace, tensors=tensors)
    assert printed(spoilt, "encoder/0/feed_forward")["moved by"] == "NaN"
    each = block(spoilt, "encoder/0/feed_forward_norm")
    assert block_pictures(pictures(spoilt, each, ENGLISH), words_of(spoilt, each), Look()).data


def test_formula_lines_have_the_colours_of_their_roles() -> None:
    trace, look = small_trace(), Look(dark=True)
    tex = formula(trace.config, block(trace, "encoder/0/self_attention"), look)
    for role in ("query", "key", "value", "weights"):
        assert look.colour(role) in tex
    assert "M_{ts}" not in tex
    assert "M_{ts}" in formula(trace.config, block(trace, "decoder/0/self_attention"), look)
    assert formula(trace.config, block(trace, "encoder/0"), look) == ""


def test_words_are_drawn_literally() -> None:
    hostile = ("<b>x</b>", "<s>", "</s>", "$x$", "&lt;", "和", "和")
    trace = small_trace(source=hostile, output=("</s>",))
    each = block(trace, "encoder/0/self_attention")
    figure = block_pictures(pictures(trace, each, ENGLISH), words_of(trace, each), Look())
    labels = list(figure.layout.yaxis.ticktext)
    assert labels[:3] == ["&lt;b&gt;x&lt;/b&gt;", "&lt;s&gt;", "&lt;/s&gt;"]
    assert labels[4:7] == ["&amp;lt;", "和", "和"]
    softmax = block(trace, "output/probabilities")
    text = block_pictures(pictures(trace, softmax, ENGLISH), ["a", "b"], Look()).data[0].text
    assert not any("<" in cell for row in text for cell in row)


def test_a_panel_of_64_words_stays_small() -> None:
    trace = small_trace(source=(SOURCE * 6)[:63], output=(OUTPUT * 7)[:63], d_model=512, d_ff=2048)
    for each in blocks(trace.config):
        figure = block_pictures(pictures(trace, each, ENGLISH), words_of(trace, each), Look())
        assert len(figure.to_json()) <= 256 * 1024, each.id


def test_vectors_share_one_scale_and_other_pictures_have_their_own() -> None:
    trace = small_trace()
    each = block(trace, "encoder/0/self_attention")
    goes_in, weights, comes_out = block_pictures(
        pictures(trace, each, ENGLISH), words_of(trace, each), Look()
    ).data[:3]
    assert goes_in.zmax == comes_out.zmax == -goes_in.zmin
    largest = max(trace[at].abs().max().item() for at in (each.before, each.after))
    assert goes_in.zmax == pytest.approx(largest)
    assert (weights.zmin, weights.zmax) == (0, pytest.approx(weights.z.max()))


def test_numbers_reach_the_browser_as_float32() -> None:
    trace = small_trace()
    each = block(trace, "memory")
    figure = block_pictures(pictures(trace, each, ENGLISH), words_of(trace, each), Look())
    sent = json.loads(figure.to_json())["data"][1]["z"]
    assert sent["dtype"] == "f4"
    numbers = np.frombuffer(base64.b64decode(sent["bdata"]), np.float32)
    assert np.array_equal(numbers, trace["memory"].numpy().ravel())

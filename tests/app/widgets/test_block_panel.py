"""The panel of a block: the tensors it draws, the numbers it prints, its formula."""

import base64
import dataclasses
import json
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch

from glassformer.app.pages.translate.block import block_formula, formula_addresses
from glassformer.app.pages.translate.block.numbers import block_facts, labels_of, pictures, words_of
from glassformer.app.pages.translate.figures import Picture, block_pictures
from glassformer.app.plots.heat import bulk_magnitude
from glassformer.app.plots.labels import widest
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.words import texts_of_language
from glassformer.core.analysis.blocks import Block, block_at, blocks_of_model
from glassformer.core.trace.trace import Trace
from tests.traces import OUTPUT, SOURCE, small_trace

CONFIGS: list[dict[str, Any]] = [
    {},
    {"norm_place": "pre", "final_norm": True, "activation": "gelu"},
    {"source": ("I",), "output": ("<s>",), "positions": "none"},
]


def block(trace: Trace, block_id: str) -> Block:
    found = block_at(trace.config, block_id)
    assert found is not None
    return found


def printed(trace: Trace, block_id: str) -> dict[str, str]:
    return dict(block_facts(trace, block(trace, block_id)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_block_has_pictures_over_its_words_and_facts(
    config: dict[str, Any], language: str
) -> None:
    trace = small_trace(**config)
    with patch("glassformer.app.words.get_state", lambda: State(language=language)):
        for each in blocks_of_model(trace.config):
            drawn, words = pictures(trace, each), words_of(trace, each)
            assert drawn[-1].title in {
                texts_of_language(language)[f"map.{name}"] for name in ("comes_out", "best_chances")
            }
            assert len(drawn) >= 2, each.id
            assert all(picture.values.shape[0] == len(words) for picture in drawn), each.id
            assert all(picture.values.dtype == np.float32 for picture in drawn), each.id
            assert block_facts(trace, each), each.id
            figure = block_pictures(drawn, words, FigureStyle())
            assert len(figure.data) >= len(drawn)
            for address in formula_addresses(trace.config, each):
                assert address in trace, f"{each.id} prints the equation of {address}"


def test_input_and_output_are_the_recorded_numbers() -> None:
    trace = small_trace()
    drawn = pictures(trace, block(trace, "encoder/1/feed_forward"))
    names = ("feed_forward_residual/branch_input", "feed_forward/activation", "feed_forward/output")
    for picture, name in zip(drawn, names, strict=True):
        assert np.array_equal(picture.values, trace[f"encoder/1/{name}"][0].numpy())


def test_pre_norm_reads_the_normalised_stream() -> None:
    trace = small_trace(norm_place="pre")
    drawn = pictures(trace, block(trace, "encoder/0/self_attention"))
    assert np.array_equal(drawn[0].values, trace["encoder/0/self_attention_norm/output"][0].numpy())


def test_attention_shows_the_mean_of_its_heads_and_what_is_masked() -> None:
    trace = small_trace()
    weights = pictures(trace, block(trace, "decoder/0/self_attention"))[1]
    expected = trace["decoder/0/self_attention/weights"][0].mean(dim=0).numpy()
    assert np.allclose(weights.values, expected)
    assert weights.allowed is not None
    assert np.array_equal(weights.allowed, np.tril(np.ones((10, 10), bool)))
    cross = pictures(trace, block(trace, "decoder/0/cross_attention"))[1]
    assert cross.columns == trace.source_tokens
    assert cross.values.shape == (10, 12)


def test_a_wide_tensor_is_pooled_and_says_so() -> None:
    trace = small_trace(d_model=16, d_ff=600)
    inside = pictures(trace, block(trace, "encoder/0/feed_forward"))[1]
    assert inside.values.shape == (12, 200)
    assert inside.step == 3
    activation = trace["encoder/0/feed_forward/activation"][0].numpy()
    assert np.array_equal(inside.values.max(axis=1), activation.max(axis=1))


def test_softmax_lists_the_likeliest_words_with_their_probabilities() -> None:
    trace = small_trace()
    scores, chances = pictures(trace, block(trace, "output/probabilities"))
    best = trace.candidates(3, 5)
    assert scores.cells[3][0] == best[0].token
    assert chances.values[3] == pytest.approx([each.probability for each in best])
    row = trace["output/logits"][0, 3].sort(descending=True).values[:5]
    assert scores.values[3] == pytest.approx(row.numpy())


def test_the_facts_are_true() -> None:
    trace = small_trace()
    norm = printed(trace, "encoder/0/feed_forward_norm")
    assert norm["standard deviation σ of the features"].endswith("→ 1.00")
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
    assert block_pictures(pictures(spoilt, each), words_of(spoilt, each), FigureStyle()).data


def test_formula_lines_have_the_colours_of_their_roles() -> None:
    trace, look = small_trace(), FigureStyle(dark=True)
    tex = block_formula(trace.config, block(trace, "encoder/0/self_attention"), look)
    for role in ("query", "key", "value", "weights"):
        assert look.colour(role) in tex
    assert "M_{ts}" not in tex
    assert "M_{ts}" in block_formula(trace.config, block(trace, "decoder/0/self_attention"), look)
    assert block_formula(trace.config, block(trace, "encoder/0"), look) == ""


def test_words_are_drawn_literally() -> None:
    hostile = ("<b>x</b>", "<s>", "</s>", "$x$", "&lt;", "和", "和")
    trace = small_trace(source=hostile, output=("</s>",))
    each = block(trace, "encoder/0/self_attention")
    figure = block_pictures(pictures(trace, each), words_of(trace, each), FigureStyle())
    labels = list(figure.layout.yaxis.ticktext)
    assert labels[:3] == ["&lt;b&gt;x&lt;/b&gt;", "&lt;s&gt;", "&lt;/s&gt;"]
    assert labels[4:7] == ["&amp;lt;", "和", "和"]
    softmax = block(trace, "output/probabilities")
    text = block_pictures(pictures(trace, softmax), ["a", "b"], FigureStyle()).data[0].text
    assert not any("<" in cell for row in text for cell in row)


def test_a_panel_of_64_words_stays_small() -> None:
    trace = small_trace(source=(SOURCE * 6)[:63], output=(OUTPUT * 7)[:63], d_model=512, d_ff=2048)
    for each in blocks_of_model(trace.config):
        figure = block_pictures(pictures(trace, each), words_of(trace, each), FigureStyle())
        assert len(figure.written()) <= 256 * 1024, each.id


def test_every_picture_has_its_own_scale() -> None:
    trace = small_trace()
    each = block(trace, "encoder/0/self_attention")
    shown = pictures(trace, each)
    goes_in, weights, comes_out = block_pictures(shown, words_of(trace, each), FigureStyle()).data[
        :3
    ]
    assert goes_in.zmax == -goes_in.zmin == shown[0].end
    assert comes_out.zmax == -comes_out.zmin == shown[2].end
    assert goes_in.zmax != comes_out.zmax
    assert (weights.zmin, weights.zmax) == (0, pytest.approx(weights.z.max()))


def test_a_few_large_numbers_do_not_fade_the_others_and_the_scale_says_so() -> None:
    values = np.linspace(-1, 1, 400, dtype=np.float32).reshape(4, 100)
    even = Picture("even", values, "feature")
    assert even.end == 1
    assert not even.clipped
    spiked = values.copy()
    spiked[1, 2] = 22
    spike = Picture("spike", spiked, "feature")
    assert spike.end == pytest.approx(0.99, abs=0.01)
    assert spike.clipped
    first, second = block_pictures([even, spike], ["a", "b", "c", "d"], FigureStyle()).data
    assert list(first.colorbar.ticktext) == ["−1.0", "0", "1.0"]
    assert list(second.colorbar.ticktext) == ["≤ −0.99", "0", "≥ 0.99"]
    assert second.z.max() == 22  # on hover the exact number


def test_zeros_do_not_count_for_the_scale_and_nothing_breaks_it() -> None:
    sparse = np.zeros((2, 500), np.float32)
    sparse[0, :3] = (1, 2, 2.1)
    assert bulk_magnitude(sparse) == pytest.approx(2.1)
    assert bulk_magnitude(np.zeros((2, 2), np.float32)) == 1
    assert bulk_magnitude(np.array([[np.nan, np.inf, 3]], np.float32)) == 3


def written(count: int, words: tuple[str, ...]) -> list[Any]:
    shown = Picture("w", np.ones((1, count), np.float32), "word", "positive", columns=words)
    return list(block_pictures([shown], ["a"], FigureStyle()).layout.annotations[1:])


def test_words_of_few_columns_are_written_below_them_and_chinese_stands_upright() -> None:
    notes = written(4, ("<b>", "because", "同学", "和光同尘一起"))
    assert [note.text for note in notes] == [
        "&lt;b&gt;", "because", "同<br>学", "和<br>光<br>同<br>…"
    ]  # fmt: skip
    assert [note.textangle for note in notes] == [-45, -45, None, None]
    assert [note.x for note in notes] == [1, 2, 3, 4]
    assert [note.textangle for note in written(3, ("<zh>", "同学", "<eos>"))] == [-45, None, 45]
    assert not written(15, ("word",) * 15)


def test_rows_of_the_decoders_attention_say_what_they_read_and_write() -> None:
    trace = small_trace()
    for name in ("self_attention", "cross_attention"):
        labels = labels_of(trace, block(trace, f"decoder/0/{name}"))
        assert labels[1] == f"{trace.output_tokens[1]} ({trace.target_tokens[1]})"
    assert labels_of(trace, block(trace, "encoder/0/self_attention")) == trace.source_tokens
    assert labels_of(trace, block(trace, "decoder/0/feed_forward")) == trace.target_tokens


def test_long_words_of_rows_end_in_an_ellipsis() -> None:
    trace = small_trace()
    shown = pictures(trace, block(trace, "memory"))
    words = ["supercalifragilistic (expialidocious)", *trace.source_tokens[1:]]
    figure = block_pictures(shown, words, FigureStyle())
    label = figure.layout.yaxis.ticktext[0]
    assert label.endswith("…")
    assert widest(label, 13) + 10 <= figure.layout.margin.l


def test_the_formula_names_scores_as_the_tensors_page_does() -> None:
    trace, look = small_trace(), FigureStyle()
    masked = block_formula(trace.config, block(trace, "decoder/0/self_attention"), look)
    for part in (r"S' = \frac{Q K^\top}", r"\tilde{S}_{ts}", r"\mathrm{softmax}(\tilde{S})"):
        assert part in masked
    free = block_formula(trace.config, block(trace, "decoder/0/cross_attention"), look)
    assert r"\mathrm{softmax}(S')" in free
    assert r"\tilde{S}" not in free


def test_numbers_reach_the_browser_as_float32() -> None:
    trace = small_trace()
    each = block(trace, "memory")
    figure = block_pictures(pictures(trace, each), words_of(trace, each), FigureStyle())
    sent = json.loads(figure.written())["data"][1]["z"]
    assert sent["dtype"] == "f4"
    numbers = np.frombuffer(base64.b64decode(sent["bdata"]), np.float32)
    assert np.array_equal(numbers, trace["memory"].numpy().ravel())

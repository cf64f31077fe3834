"""What is kept of each step of a training, on numbers that can be done by hand."""

import numpy as np
import pytest

from glassformer.core.analysis.attention_views import attention_sides
from glassformer.core.analysis.training_views import (
    Plane,
    Replay,
    agreeing_words,
    head_frames,
    keep_moment,
    marked_text,
    mean_length,
    similarity,
    snapshot_axis,
    stream_places,
    weight_sizes,
)
from glassformer.core.config import ModelConfig
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tables import as_numpy
from tests.example_trace import example_trace


def weights_of(config: ModelConfig) -> dict[str, np.ndarray]:
    return {name: as_numpy(value) for name, value in Transformer(config).named_parameters()}


def test_snapshots_are_equally_far_from_each_other() -> None:
    assert snapshot_axis([0, 50, 75, 100, 200, 900], (0, 50, 100, 200)) == [0, 1, 1.5, 2, 3, 3]


@pytest.mark.parametrize(
    ("said", "end", "marks"),
    [
        ("a dog eats", "a cat eats", (True, False, True)),
        ("The the the", "the cat", (True, False, False)),
        ("", "the cat", ()),
        ("the cat", "", (False, False)),
        ("cat the", "the cat", (True, False)),
    ],
)
def test_words_that_stay_to_the_end_are_marked(
    said: str, end: str, marks: tuple[bool, ...]
) -> None:
    assert agreeing_words(said.split(), end.split()) == marks


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("他买了苹果，因为", ["他", "买", "了", "苹果", "，", "因为"]),
        ("He's here. He's!", ["he", "'s", "here", ".", "he", "'s", "!"]),
        ("<b>x</b> $y$", ["<b>x</b>", "$y$"]),
        ("restored text", ["other", "text"]),
        ("İstanbul is", ["İstanbul", "is"]),
        ("", []),
        ("left over", []),
    ],
)
def test_a_marked_text_is_the_text(text: str, tokens: list[str]) -> None:
    parts = marked_text(text, tokens, [True] * len(tokens))
    assert "".join(part for part, _ in parts) == text


def test_each_word_has_its_own_mark() -> None:
    words, marks = ["a", "dog", ",", "a", "cat"], [True, False, True, False, True]
    parts = (("a", True), (" dog", False), (",", True), (" a", False), (" cat", True))
    assert marked_text("a dog, a cat", words, marks) == parts
    assert marked_text("x y.", ["y"], [True]) == (("x y", True), (".", False))


def test_cosines_of_three_vectors() -> None:
    vectors = np.array([[3, 0], [0, 2], [-1, 0], [0, 0]], dtype=np.float32)
    expected = [[1, 0, -1], [0, 1, 0], [-1, 0, 1]]
    assert similarity(vectors)[:3, :3] == pytest.approx(np.array(expected))
    assert np.isnan(similarity(vectors)[3]).all()
    assert mean_length(vectors) == pytest.approx(1.5)


def test_weights_are_measured_by_what_they_belong_to() -> None:
    weights = {
        "encoder.layers.0.self_attention.w_q.weight": np.array([[3.0, 4.0]], np.float32),
        "decoder.layers.1.cross_attention.w_q.weight": np.array([[0.0, 5.0]], np.float32),
        "encoder.layers.0.self_attention.w_q.bias": np.array([100.0], np.float32),
        "encoder.layers.0.feed_forward_residual.norm.gamma": np.array([2.0], np.float32),
        "encoder.layers.0.feed_forward_residual.norm.beta": np.array([9.0], np.float32),
        "source_embedding.table.weight": np.array([[1.0], [-1.0]], np.float32),
    }
    assert weight_sizes(weights) == pytest.approx({"query": 12.5**0.5, "norm": 2, "embedding": 1})


@pytest.mark.parametrize("norm_place", ["post", "pre"])
def test_every_weight_and_every_place_of_a_model_is_measured(norm_place: str) -> None:
    config = ModelConfig(
        vocabulary_size=9, d_model=8, n_heads=2, encoder_layers=2, decoder_layers=1, d_ff=8,
        norm_place=norm_place, final_norm=True, positions="learned",  # type: ignore[arg-type]
    )  # fmt: skip
    parts = {"embedding", "query", "key", "value", "output", "feed_forward", "norm", "generator"}
    assert weight_sizes(weights_of(config)).keys() == parts
    found = stream_places(config)
    assert [place.address for place in found if place.stack == "decoder"] == [
        "target/input",
        "decoder/0/self_attention_residual/summed",
        "decoder/0/cross_attention_residual/summed",
        "decoder/0/feed_forward_residual/summed",
    ]
    assert len(found) == 1 + 2 * 2 + 1 + 3


def test_a_moment_keeps_the_numbers_of_its_trace() -> None:
    trace = example_trace()
    weights = weights_of(trace.config)
    kept = keep_moment(400, trace, trace, weights, [5, 7])
    assert (kept.step, kept.text, kept.tokens) == (400, "Zorblax喜欢，", ("Zorblax", "喜欢", "，"))
    recorded = as_numpy(trace["decoder/1/cross_attention/weights"])[0]
    assert np.array_equal(kept.maps["cross"][1], recorded)
    assert np.array_equal(kept.vectors, weights["source_embedding.table.weight"][[5, 7]])
    entering = as_numpy(trace["source/input"])[0]
    assert kept.lengths[0] == pytest.approx(float(np.linalg.norm(entering, axis=1).mean()))
    assert len(kept.lengths) == len(stream_places(trace.config))


def test_the_film_of_a_head_is_its_map_at_every_step() -> None:
    trace = example_trace()
    weights = weights_of(trace.config)
    moments = tuple(keep_moment(step, trace, trace, weights, [5]) for step in (0, 50))
    flat = Plane(np.zeros(8, np.float32), np.zeros((2, 8), np.float32), (0.0, 0.0))
    replay = Replay(moments, (), flat)
    frames = head_frames(replay, "decoder", 1, 0, attention_sides(trace, "decoder"))
    assert [frame.step for frame in frames] == [0, 50]
    recorded = as_numpy(trace["decoder/1/self_attention/weights"])[0, 0]
    seen = np.tril(np.ones_like(recorded, dtype=bool))
    assert (frames[0].levels[~seen] == 255).all()
    assert frames[0].levels[seen] == pytest.approx(recorded[seen] * 254, abs=0.51)
    assert frames[0].does is not None
    assert frames[0].does.shares["diagonal"] == pytest.approx(recorded.diagonal().mean(), abs=1e-6)
    mean = head_frames(replay, "cross", 0, None, attention_sides(trace, "cross"))[0]
    averaged = as_numpy(trace["decoder/0/cross_attention/weights"])[0].mean(axis=0)
    assert mean.levels == pytest.approx(averaged * 254, abs=0.51)
    assert (
        head_frames(replay, "cross", 0, 0, attention_sides(trace, "encoder"))[0].does is None
    )  # other words

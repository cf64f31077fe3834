"""Teacher forcing, a wrong word, the KV-cache: the numbers of the page against the model."""

import math
import re

import pytest

from glassformer.app.pages.decoding.forcing import panel as forcing
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_trace
from glassformer.core.text_models.decodings import task_of
from tests.app.decoded import SHORT, TEXT, chart, expected, ids_of, plain, said
from tests.opened_app import opened, state_of


def test_teacher_forcing_and_decoding_have_the_same_numbers() -> None:
    app = opened("decoding", text=TEXT, decoding="forcing")
    trace = get_trace(TEXT)
    words = ids_of(trace)
    rows = expected(trace, words)
    table = next(each.proto.body for each in app.get("html") if "forcing-rows" in each.proto.body)
    cells = re.findall(r"<td>(\d\.\d{5})</td><td>(\d\.\d{5})</td>", table)
    assert len(cells) == len(words)
    for place, (forced, free) in enumerate(cells):
        assert float(forced) == pytest.approx(float(rows[place, words[place]]), abs=1e-5)
        assert float(free) == pytest.approx(float(rows[place, words[place]]), abs=1e-5)
    assert "**equal**" in said(app)


def test_a_row_that_sees_the_future_is_not_equal() -> None:
    app = opened("decoding", text=SHORT, decoding="forcing", edits="causal")
    assert "**not equal**" in said(app)
    assert "Same words, same probabilities" not in said(app)
    assert "other probabilities" in said(app)


def test_a_wrong_word_and_the_right_words_after_it() -> None:
    model = get_model()
    dog = model.tokenizer.vocabulary.id("谁")
    app = opened("decoding", text=TEXT, decoding="forcing", forced=f"3:{dog}")
    trace = get_trace(TEXT)
    words = ids_of(trace)
    right, wrong = chart(app)["data"]
    rows = expected(trace, words)
    read = [*words[:2], dog, *words[3:]]
    after = expected(trace, read)
    chances = [float(rows[place, words[place]]) for place in range(3, len(words))]
    worse = [float(after[place, words[place]]) for place in range(3, len(words))]
    assert right["y"] == pytest.approx(chances, abs=1e-5)
    assert wrong["y"] == pytest.approx(worse, abs=1e-5)
    mean = -sum(map(math.log, worse)) / len(worse)
    assert f"**{mean:.3g}** after the wrong one" in said(app)
    assert "<mark>谁</mark>" in said(app)
    assert "Your word." in said(app)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("猫", ""),
        ("猫 狗", "more than one word"),
        ("!!!", "There is no word in"),
        ("爱", "model's own word"),
        ("魑", "has no word 魑"),
    ],
)
def test_a_wrong_word_can_be_typed(typed: str, answer: str) -> None:
    app = opened("decoding", text=SHORT, decoding="forcing", moment="2")
    app.text_input(key="widget_forcing_typed").set_value(typed).run()
    assert not app.exception
    if answer:
        assert state_of(app).forced == ()
        assert answer in plain(app)
    else:
        cat = get_model().tokenizer.vocabulary.id("猫")
        assert state_of(app).forced == ((1, cat),)
        assert "<mark>猫</mark>" in said(app)


def test_without_a_choice_there_is_an_example() -> None:
    app = opened("decoding", text=SHORT, decoding="forcing", moment="4")
    assert "An example" in said(app)
    trace = get_trace(SHORT)
    words = ids_of(trace)
    marked = re.search("<mark>(.*?)</mark>", said(app))
    assert marked is not None
    piece = marked.group(1).translate(str.maketrans("。，？", ".,?"))  # Chinese writes its own
    chosen = get_model().tokenizer.vocabulary.id(piece)
    harms = {}
    options = [index for index, _ in trace.steps[3].candidates if index != words[3]]
    forbidden = task_of(get_model(), trace).forbidden
    end = words[-1]
    allowed = [each for each in options if each not in forbidden]
    allowed = [*(each for each in allowed if each != end), *(e for e in allowed if e == end)]
    for option in allowed[: forcing.OFFERED]:
        rows = expected(trace, [*words[:3], option, *words[4:]])
        harms[option] = -sum(math.log(rows[at, words[at]]) for at in range(4, len(words)))
    assert chosen == max(harms, key=lambda each: harms[each])


def test_the_cache_page_counts_by_hand() -> None:
    app = opened("decoding", text=TEXT, decoding="cache", moment="5")
    config = get_model().config
    trace = get_trace(TEXT)
    source, steps = len(trace.source_tokens), len(trace.output_tokens)
    word = 2 * config.d_model  # of one layer
    whole = [
        word * ((config.encoder_layers + config.decoder_layers) * source
                + config.decoder_layers * (at + 1))
        for at in range(steps)
    ]  # fmt: skip
    a_word = word * config.decoder_layers
    computed, reused, without = (trace["y"] for trace in chart(app)["data"])
    assert without == whole
    assert computed == [whole[0]] + [a_word] * (steps - 1)
    assert reused == [0] + [a_word * (source + at) for at in range(1, steps)]
    text = plain(app)
    assert f"{sum(whole):,}" in text
    assert f"{whole[0] + a_word * (steps - 1):,}" in text
    assert f"from the cache: {a_word * (source + 4):,} numbers" in text
    assert f"{steps * (steps + 1) // 2}" in text  # rows without a cache
    assert "largest difference" in text


def test_the_cache_is_measured_only_when_asked() -> None:
    app = opened("decoding", text=SHORT, decoding="cache")
    assert "as fast" not in plain(app)
    app.button(key="cache_measure_now").click().run()
    found = re.search(
        r"\*\*([\d.]+) ms\*\* with, \*\*([\d.]+) ms\*\* without: \*\*([\d.]+)×\*\*", said(app)
    )
    assert found is not None
    fast, slow, ratio = map(float, found.groups())
    assert slow / fast == pytest.approx(ratio, rel=0.06)

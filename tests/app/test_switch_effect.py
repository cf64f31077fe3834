"""The right column of the Switch page: the numbers on it against runs made here."""

import json
import math
from functools import cache

import numpy as np
import pytest
import torch

from glassformer import Trace, load_model
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.interventions import Experiment, run
from tests.opened_app import opened, state_of
from tests.sent import data_of, send

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = TIRED.replace("tired", "wide")
REDIRECT = "heads_redirected:decoder/1/cross_attention,(),5,(6)"


@cache
def made(edits: str, text: str = TIRED, target: str | None = None) -> Trace:
    return run(Experiment.from_text(edits), load_model(), text, target)


def log_chances(trace: Trace) -> torch.Tensor:
    return trace["output/logits"][0].double().log_softmax(-1)


def test_the_lines_are_those_of_two_runs_on_the_same_words() -> None:
    sent = data_of(opened("switch", edits=REDIRECT), "effect_words")
    plain = made("")
    forced = made(REDIRECT, TIRED, plain.output_text)  # a second way to force: by its text
    p, q = log_chances(plain), log_chances(forced)
    words = [plain.vocabulary.index(piece) for piece in plain.output_pieces]
    assert [line["row"] for line in sent["rows"]] == list(range(len(words)))
    for row, (line, word) in enumerate(zip(sent["rows"], words, strict=True)):
        chances = [float(each[row, word].exp()) for each in (p, q)]
        assert line["percents"] == [format_percent(each) for each in chances]
        assert line["shares"] == [round(each, 4) for each in chances]
        assert format_number(float((p[row].exp() * (p[row] - q[row])).sum()), 7) in line["title"]
    totals = [float(sum(each[row, word] for row, word in enumerate(words))) for each in (p, q)]
    assert sent["total"]["numbers"] == [format_number(each, 3) for each in totals]


def test_words_are_marked_by_what_became_of_them() -> None:
    sent = data_of(opened("switch", edits=REDIRECT), "effect_words")
    changed = [line for line in sent["rows"] if line["kind"] != "same"]
    assert [(line["sign"], line["before"], line["after"]) for line in changed] == [
        ("≠", "动物", "马路")
    ]
    assert [line["apart"] for line in sent["rows"]] == [False] * 7 + [True] * 4
    own = made(REDIRECT)
    chance = log_chances(own)[6, own.vocabulary.index("马路")].exp()
    assert changed[0]["title"].endswith(f"“马路” was written with {format_percent(float(chance))}.")
    assert sent["focus"] == 6
    assert sent["note"].startswith("~")
    assert "later words" in data_of(opened("switch", edits="causal"), "effect_words")["note"]
    hidden = opened(
        "switch", text="我昨天在北京买了一本书", edits="lines:decoder/*/cross_attention,(),(),(1)"
    )
    gone = [line for line in data_of(hidden, "effect_words")["rows"] if line["sign"] == "−"]
    assert [(line["before"], line["after"]) for line in gone] == [("yesterday", None)]


def test_a_click_on_a_line_shows_what_else_could_come() -> None:
    app = send(opened("switch", edits=REDIRECT), "effect_words", "pick", {"row": 3})
    assert state_of(app).word == 3
    sent = data_of(app, "effect_words")
    assert sent["focus"] == 3
    plain = made("")
    best = plain.candidates(3, 5)
    shown = sent["next"]["sides"][0]
    assert [each["text"] for each in shown] == [each.token for each in best]
    percents = [format_percent(each.probability) for each in best]
    assert [each["percent"] for each in shown] == percents
    app = send(app, "effect_words", "pick", {"row": 99})
    assert state_of(app).word == 3


def test_two_sentences_are_compared_in_the_same_way() -> None:
    sent = data_of(opened("switch", second=WIDE), "effect_words")
    first, forced = made(""), made("", WIDE, made("").output_text)
    changed = [(line["before"], line["after"]) for line in sent["rows"] if line["kind"] != "same"]
    assert changed == [("动物", "马路"), ("累", "宽")]
    words = [first.vocabulary.index(piece) for piece in first.output_pieces]
    row = first.output_pieces.index("累")
    chance = float(log_chances(forced)[row, words[row]].exp())
    assert sent["rows"][row]["percents"][1] == format_percent(chance)


def test_nan_is_said_and_not_sent() -> None:
    closed = "mask_fill;lines:decoder/0/self_attention,(),(2)"
    app = opened("switch", text="我 爱 机器 学习", edits=closed)
    sent = data_of(app, "effect_words")
    assert {line["percents"][1] for line in sent["rows"]} == {"NaN"}
    assert sent["total"]["numbers"][1] == "NaN"
    assert sent["next"]["sides"][1] == []


def test_the_change_by_layer_is_the_distance_of_both_runs_on_the_same_words() -> None:
    app = opened("switch", edits=REDIRECT, result="by_layer")
    charts = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    figure = next(each for each in charts if "coloraxis" in each["layout"])
    hovers = figure["data"][1]["customdata"]
    a = made("")["decoder/1/feed_forward_norm/output"][0].double()
    b = made(REDIRECT, TIRED, made("").output_text)["decoder/1/feed_forward_norm/output"][0]
    far = (b.double() - a).norm(dim=-1) / a.norm(dim=-1)
    row = next(each for each in hovers if each[0].endswith("decoder/1/feed_forward_norm/output"))
    for cell, number in zip(row, far.tolist(), strict=True):
        assert (format_number(number, 7) in cell) or (number == 0 and "not moved" in cell)
    assert np.flatnonzero(far.numpy()).tolist() == [6]
    assert any("decoder/1/cross_attention/weights" in each.value for each in app.markdown)
    assert math.isfinite(float(far.max()))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_with_nothing_switched_it_says_what_to_do(language: str) -> None:
    app = opened("switch", language=language, switches="masks")
    said = " ".join(each.value for each in app.markdown)
    assert {"en": "Take an example", "zh": "点左边的一个示例"}[language] in said
    assert made("").output_text in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_experiment_that_did_not_run_is_not_called_nothing(language: str) -> None:
    app = opened("switch", text="a " * 600, edits="causal", language=language)
    said = [each.value for each in app.markdown]
    assert f"**{say('effect.not_run', language)}**" in said
    assert f"**{say('effect.nothing', language)}**" not in said


def test_what_is_typed_stays_as_typed() -> None:
    app = opened("switch", text="<b>x</b> likes <eos>", edits="causal")
    sent = data_of(app, "effect_words")
    assert all(isinstance(line["before"], str | None) for line in sent["rows"])
    assert state_of(app).result == "words"


def test_sentences_too_unlike_in_length_are_told_so() -> None:
    long = "My father and my mother want to buy a big house in Beijing, but my brother"
    app = opened("switch", text=f"{long} and my sister want to live in Shanghai", second="cat")
    assert "too long for the second sentence" in " ".join(each.value for each in app.info)

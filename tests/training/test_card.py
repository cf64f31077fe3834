"""The model card: what it tells, and what it leaves out."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from glassformer.core.analysis.head_roles import best_by_role, clearest_head
from glassformer.core.text_models.checkpoints import load_heads, load_model
from glassformer.core.training.card import LIST, SEALED_LIST, write_card
from glassformer.core.training.evaluate import Metrics
from glassformer.core.training.evaluation.attention import Part, Sharpness
from glassformer.core.training.evaluation.held_out import Score, Written
from glassformer.core.training.evaluation.interventions import Without
from glassformer.core.training.evaluation.passes import Tally
from glassformer.core.training.evaluation.typed import Answer, Sentence, calibrate_badge

WHOLE, HEAD = (Part("encoder/0/self_attention", head) for head in (None, 0))


def answer(verdict: str, text: str = "I have a cat|dog") -> Answer:
    sentence = Sentence("f001", text, "en-zh", ("我有一只猫",))
    return Answer(sentence, "我有猫", verdict, "why so", sure=False, score=0.25)  # type: ignore[arg-type]


def metrics() -> Metrics:
    written = Written(
        exact={"en-zh": Tally(9, 10)},
        by_template={"past": {"en-zh": Tally(9, 10)}},
        scores={"en-zh BLEU": Score(81.25, "tok:zh")},
    )
    unchanged = Without(Tally(9, 10), {"en-zh": Tally(8, 10)})
    without = Without(Tally(1, 10), {"en-zh": Tally(7, 10)})
    return Metrics(
        written,
        coreference=Tally(9, 10),
        alignment={"en-zh": {"layer 1": Tally(5, 8), "layer 1 head 1": Tally(7, 8)}},
        antecedent={"en-zh": {"layer 1 head 1": Tally(19, 20), "layer 1 head 2": Tally(1, 20)}},
        roles={"en-zh": {HEAD: {"previous": Tally(3, 4), "next": Tally()}}},
        sharpness={WHOLE: Sharpness(0.125, 0.5, 0.25, 1.5), HEAD: Sharpness(0.1, 0.5, 0.2, 1.0)},
        unscaled={WHOLE: Tally(3, 10)},
        knock_outs={
            "nothing": {"unchanged": unchanged},
            "encoder self-attention layer 1": {"zeroed": without, "mean": without},
            "encoder self-attention layer 1 head 1": {"zeroed": without, "mean": unchanged},
        },
        resolved=Tally(20, 20),
        flips={"decoder layer 1, all heads": Tally(20, 20), "decoder layer 1 head 1": Tally(1, 20)},
        typed={"open": [answer("wrong"), answer("acceptable")]},
        calibration={"open": calibrate_badge([answer("wrong"), answer("acceptable")])},  # type: ignore[dict-item]
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    about = {"model": load_model().config.to_dict(), "training": {"steps": 7}}
    (tmp_path / "config.json").write_text(json.dumps(about))
    return tmp_path


def test_the_card_tells_the_figures(folder: Path) -> None:
    write_card(folder, metrics())
    card = (folder / "CARD.md").read_text("utf-8")
    assert "| en-zh | 90.0 % | 10 | 81.2 | not measured |" in card and "steps 7" in card
    assert "layer 1 head 1, 87.5 %" in card  # the best single cross head
    assert "layer 1 head 1, with 95.0 % of 20 pronouns" in card
    assert "the translation of pronouns depends on it" in card
    assert "| decoder layer 1, all heads | 100.0 % | 20 |" in card
    assert "| open (`free_typed_open.json`) | 50.0 % | 2 |" in card
    assert f"({LIST})" in card and SEALED_LIST not in card
    table = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert table["exact_match"]["en-zh"] == {"right": 9, "total": 10, "rate": 0.9}
    assert table["typed_answers"]["open"][0]["verdict"] == "wrong"


def test_the_card_tells_what_heads_do(folder: Path) -> None:
    write_card(folder, metrics())
    card = (folder / "CARD.md").read_text("utf-8")
    assert f"| en-zh | previous | {HEAD.name} | 75.0 % of 4 | 70.0 % | 80.0 % |" in card
    assert f"| {WHOLE.name} | 12.5 % | 50.0 % | 25.0 % | 1.5 | 30.0 % |" in card
    (head,) = load_heads(folder)
    assert best_by_role([head], "en-zh") == {"previous": head} == best_by_role([head] * 2, "en-zh")
    assert best_by_role([head], "zh-en") == {} and head.wrong("zh-en") is None
    assert (head.kind, head.layer) == ("encoder", 0)
    assert head.lost["zeroed"]["coreference"] == pytest.approx(0.8)
    pronoun = replace(head, roles={"en-zh": {"antecedent": 0.9, "alignment": 0.6}})
    faint = replace(head, roles={"en-zh": {"antecedent": 0.4, "alignment": 0.4}})
    assert clearest_head([faint, pronoun], "en-zh", ("it", "is")) == pronoun
    assert clearest_head([pronoun], "en-zh", ("he", "is")) == pronoun  # by its alignment
    assert (
        clearest_head([faint], "en-zh", ("it", "is"))
        is clearest_head([], "en-zh", ("it", "is"))
        is None
    )
    write_card(folder, Metrics(Written(exact={"en-zh": Tally(1, 2)})))
    assert load_heads(folder) == ()


def test_the_card_tells_which_heads_were_taught(folder: Path) -> None:
    write_card(folder, metrics())
    assert "A plain model" in (folder / "CARD.md").read_text("utf-8")
    about = json.loads((folder / "config.json").read_text())
    about["taught"] = {
        "alignment": {"address": "decoder/1/cross_attention/weights", "head": None},
        "antecedent": {"address": "encoder/1/self_attention/weights", "head": 2},
    }
    (folder / "config.json").write_text(json.dumps(about))
    write_card(folder, metrics())
    card = (folder / "CARD.md").read_text("utf-8")
    assert "decoder cross-attention layer 2, mean of heads (from the row" in card
    assert "encoder self-attention layer 2 head 3 (from a pronoun" in card


def test_a_head_that_is_not_missed_decides_nothing(folder: Path) -> None:
    found = metrics()
    unchanged = found.knock_outs["nothing"]["unchanged"]
    head = {"zeroed": unchanged, "mean": replace(unchanged, exact={})}
    found.knock_outs["encoder self-attention layer 1 head 1"] = head
    write_card(folder, found)
    assert "pronouns does not depend on it" in (folder / "CARD.md").read_text("utf-8")


def test_the_list_has_every_sentence(folder: Path) -> None:
    write_card(folder, metrics())
    listed = (folder / LIST).read_text("utf-8")
    assert "open: 1 of 2 right (50.0 %)" in listed
    assert listed.count("I have a cat\\|dog") == 2 and "why so" in listed and "⚠ 0.25" in listed


def test_the_sealed_set_has_a_list_of_its_own(folder: Path) -> None:
    found = metrics()
    found.typed["sealed"] = [answer("wrong", "a sealed sentence")]
    write_card(folder, found)
    assert "a sealed sentence" in (folder / SEALED_LIST).read_text("utf-8")
    for name in (LIST, "CARD.md", "metrics.json"):
        assert "a sealed sentence" not in (folder / name).read_text("utf-8")
    assert f"({SEALED_LIST})" in (folder / "CARD.md").read_text("utf-8")
    write_card(folder, metrics())
    assert not (folder / SEALED_LIST).exists()  # it was of another evaluation


def test_what_was_not_measured_is_left_out(folder: Path) -> None:
    write_card(folder, Metrics(Written(exact={"en-zh": Tally(1, 2)})))
    card = (folder / "CARD.md").read_text("utf-8")
    assert "50.0 %" in card and "nan" not in card
    for heading in ("## Typed", "## The badge", "## Without a head", "## Attention turned"):
        assert heading not in card
    assert not (folder / LIST).exists()

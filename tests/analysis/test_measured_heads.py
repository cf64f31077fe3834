"""Heads as the model card measured them: which plays a role most, and which tells most."""

import pytest

from glassformer.core.analysis.head_roles import (
    MEASURED_ROLES,
    MeasuredHead,
    best_by_role,
    clearest_head,
    pronouns,
)


def head(stack: str, number: int, **shares: float) -> MeasuredHead:
    lost = {"zeroed": {"exact_en_zh": 0.02}, "mean": {"exact_en_zh": 0.05}}
    return MeasuredHead(stack, number, {"en-zh": shares}, {}, lost, {"exact_en_zh": 0.9})


NOUNS = head("encoder/1/self_attention", 0, antecedent=0.97, previous=0.02)
BEFORE = head("encoder/0/self_attention", 3, antecedent=0.10, previous=0.90)
ALIGNED = head("decoder/1/cross_attention", 2, alignment=0.80)
HEADS = (BEFORE, NOUNS, ALIGNED)


def test_the_best_of_each_role_in_the_order_of_the_roles() -> None:
    found = best_by_role(HEADS, "en-zh")
    assert found == {"antecedent": NOUNS, "alignment": ALIGNED, "previous": BEFORE}
    assert list(found) == [role for role in MEASURED_ROLES if role in found]
    assert best_by_role(HEADS, "zh-en") == {}


def test_kind_layer_and_loss_are_read_off() -> None:
    assert [each.kind for each in HEADS] == ["encoder", "encoder", "cross"]
    assert head("decoder/0/self_attention", 0).kind == "decoder"
    assert (NOUNS.layer, BEFORE.layer) == (1, 0)
    assert NOUNS.wrong("en-zh") == pytest.approx((0.15, 0.10))  # without it, the worse of two ways
    assert NOUNS.wrong("zh-en") is None


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("The animal was tired because it ran <eos>", NOUNS),
        ("It rained <eos>", NOUNS),
        ("I love you <eos>", ALIGNED),
        ("我 吃 了 苹果 因为 它 很 甜 <eos>", NOUNS),
    ],
)
def test_a_pronoun_decides_which_head_tells_most(source: str, told: MeasuredHead) -> None:
    assert clearest_head(HEADS, "en-zh", source.split()) == told


def test_no_head_tells_where_none_plays_its_role_clearly() -> None:
    faint = head("decoder/1/cross_attention", 2, alignment=0.49)
    assert clearest_head((BEFORE, faint), "en-zh", ["it"]) is None
    assert clearest_head((), "en-zh", ["it"]) is None


def test_pronouns_are_whole_words() -> None:
    assert pronouns("It is its own item".split()) == [0, 2]


def test_what_the_card_holds_is_read_and_other_things_are_refused() -> None:
    entry = {
        "stack": "encoder/1/self_attention",
        "head": 0,
        "roles": {"en-zh": {"antecedent": 0.97, "previous": 0.02}},
        "sharpness": {},
        "lost": NOUNS.lost,
    }
    assert MeasuredHead.from_dict(entry, {"exact_en_zh": 0.9}) == NOUNS
    assert MeasuredHead.from_dict(entry).wrong("en-zh") is None
    with pytest.raises(KeyError):
        MeasuredHead.from_dict({key: value for key, value in entry.items() if key != "lost"})

"""Attention opens on the head that shows most of the sentence; heads worth looking at."""

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.plots.labels import format_percent
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.analysis.head_roles import MEASURED_ROLES, MeasuredHead, best_by_role
from glassformer.core.text_models.checkpoints import load_heads
from glassformer.core.untrusted import read_json_file
from tests.architecture.sources import ROOT
from tests.opened_app import drawn, opened, state_of

TIRED = "The animal didn't cross the street because it was too tired"
APPLE = "我没有吃苹果，因为它太酸了"
HEADS = load_heads("translator")


def best(role: str, direction: str) -> MeasuredHead:
    return best_by_role(HEADS, direction)[role]


def place(app: AppTest) -> tuple[str, int, int | None]:
    now = state_of(app)
    return now.kind, now.layer, now.head


def place_of(head: MeasuredHead) -> tuple[str, int, int | None]:
    return head.kind, head.layer, head.head


@pytest.mark.parametrize(
    ("text", "direction", "role"),
    [
        (TIRED, "en-zh", "antecedent"),
        (APPLE, "zh-en", "antecedent"),
        ("I love machine learning", "en-zh", "alignment"),
    ],
)
def test_it_opens_on_the_head_that_shows_most(text: str, direction: str, role: str) -> None:
    app = opened("attention", text=text)
    assert place(app) == place_of(best(role, direction))


@pytest.mark.parametrize(
    ("text", "pronoun", "noun"),
    [
        (TIRED, "it", "animal"),
        (TIRED.replace("tired", "wide"), "it", "street"),
        (APPLE, "它", "苹果"),
        ("动物没有过马路，因为它太累了", "它", "动物"),
    ],
)
def test_there_the_pronoun_looks_at_its_noun(text: str, pronoun: str, noun: str) -> None:
    app = opened("attention", text=text)
    trace, now = drawn(app), state_of(app)
    tokens = trace.source_tokens
    weights = trace[f"encoder/{now.layer}/self_attention/weights"][0, now.head]
    assert tokens[int(weights[tokens.index(pronoun)].argmax())] == noun


def test_a_head_that_was_picked_stays() -> None:
    app = opened("attention", text=TIRED, kind="encoder", layer="1", head="3")
    assert place(app) == ("encoder", 0, 2)
    app.text_input(key="widget_sentence").set_value(TIRED.replace("tired", "wide")).run()
    assert place(app) == ("encoder", 0, 2)


def wrong(head: MeasuredHead, direction: str) -> tuple[str, str]:
    """Shares of wrong translations without a head and with it, as the card counted them."""
    card = read_json_file(ROOT / "assets/checkpoints/translator/metrics.json")["knock_out"]
    name = f"exact_{direction.replace('-', '_')}"
    kind = {"encoder": "encoder self", "decoder": "decoder self", "cross": "decoder cross"}
    part = f"{kind[head.kind]}-attention layer {head.layer + 1} head {head.head + 1}"
    without = min(way[name] for way in card[part].values())
    with_it = card["nothing"]["unchanged"][name]
    return format_percent(1 - without), format_percent(1 - with_it)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("text", "role"), [(TIRED, "alignment"), (APPLE, "antecedent")])
def test_what_is_wrong_without_a_head_is_said_beside_what_is_wrong_with_it(
    text: str, role: str, language: str
) -> None:
    direction = "en-zh" if text == TIRED else "zh-en"
    head = best(role, direction)
    app = opened(
        "attention", text=text, kind=head.kind, layer=str(head.layer + 1),
        head=str(head.head + 1), language=language,
    )  # fmt: skip
    without, with_it = wrong(head, direction)
    told = say("attention.measured_wrong", language, without=without, before=with_it)
    assert any(told in each.value for each in (*app.markdown, *app.caption))
    assert {"alignment": ("87.8%", "7.6%"), "antecedent": ("7.7%", "7.7%")}[role] == (
        without, with_it,
    )  # fmt: skip


@pytest.mark.parametrize("text", [TIRED, APPLE])
def test_each_row_of_the_list_tells_its_score_and_its_loss_and_opens_its_head(text: str) -> None:
    app = opened("attention", text=text)
    direction = drawn(app).direction
    found = best_by_role(HEADS, direction)
    assert (*found, "induction") == MEASURED_ROLES
    rows = [each.value for each in app.markdown]
    for role, head in found.items():
        numbers = {format_percent(head.roles[direction][role]), *wrong(head, direction)}
        assert any(all(each in row for each in numbers) for row in rows), role
        app.button(key=f"widget_worth_{role}").click().run()
        assert place(app) == place_of(head)


def test_a_link_of_the_model_that_is_the_default_now_opens_it() -> None:
    app = opened("attention", text=TIRED, model="translator-taught")
    assert drawn(app).model_name == "translator"
    assert app.selectbox(key="widget_model_en").value == "translator"

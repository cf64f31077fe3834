"""The Lab page, its kit and the worked examples, without a browser."""

import html
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.examples import example_results
from glassformer.app.pages.lab.figures.tables import exact_digits
from glassformer.app.pages.lab.inputs import Field, clean_values, input_value, original_value
from glassformer.app.session.memory import Memory
from glassformer.app.session.state import State
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.code_errata import code_errata
from glassformer.core.lab.errata import count_errata, errata, errata_of
from glassformer.core.lab.worked_examples import compute_example, example_keys
from tests.opened_app import opened, state_of, typed_in_lab


@pytest.fixture(scope="module")
def lab() -> AppTest:
    """The Lab on its first example."""
    return opened("lab", lab="examples")


def chosen(app: AppTest, key: str) -> AppTest:
    """The same with another example."""
    (button,) = [each for each in app.button if each.key in (name(key), f"{name(key)}_chosen")]
    button.click().run()
    assert not app.exception
    return app


def name(key: str) -> str:
    return f"lab_example_{key}"


def tables(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html"))


def hovered(app: AppTest) -> list[str]:
    return [html.unescape(each) for each in re.findall(r'<td[^>]* title="([^"]*)"', tables(app))]


def test_a_bench_that_is_none_is_left_out() -> None:
    unknown, dropped = State.from_query({"lab": "no such bench"})
    assert (unknown.lab, dropped) == ("", ("lab=no such bench",))


def flat(values: Any) -> list[str]:
    return [exact_digits(value) for value in np.ravel(values).tolist()]


@pytest.mark.parametrize("key", [key for key in example_keys() if key != "shapes-512"])
def test_every_number_of_an_example_is_on_screen(lab: AppTest, key: str) -> None:
    app = chosen(lab, key)
    wanted = []
    for each in compute_example(key).quantities:
        wanted += flat(each.value.numpy())
        if each.printed is not None and each.differs is not None:
            wanted += flat(each.printed.numpy())
            if each.differs.any():
                away = (each.printed - each.value).numpy()
                wanted += flat(np.where(each.differs.numpy(), away, 0.0))
    assert hovered(app) == wanted


def test_shapes_are_on_screen(lab: AppTest) -> None:
    shown = re.sub(r"<[^>]+>", " ", tables(chosen(lab, "shapes-512"))).split()
    assert "2 B 4 S 8 H 64 K" in " ".join(shown)


def test_softmax_against_a_recomputation(lab: AppTest) -> None:
    scores = np.array([3.0, 1.0])
    shown = hovered(chosen(lab, "softmax-alternatives"))
    share = np.exp(scores) / np.exp(scores).sum()
    assert [float(each) for each in shown[:2]] == pytest.approx(share.tolist())


def test_errata_at_a_glance(lab: AppTest) -> None:
    app = chosen(lab, "errata")
    kinds, heads = 2, 2
    assert tables(app).count("<tr>") == len(errata()) + kinds + heads + len(code_errata())
    wrong, shown, _ = count_errata("number")
    assert f"{wrong} of the {shown} numbers" in "\n".join(each.value for each in app.markdown)
    broken = sum(bool(each.found.get("error")) for each in code_errata())
    assert f"{broken} pieces of code cannot run" in "\n".join(each.value for each in app.markdown)
    for each in code_errata():
        told = [f"{at:.4f}" if isinstance(at, float) else str(at) for at in each.found.values()]
        assert all(html.escape(at) in tables(app) for at in told), each.key
    said = typed_in_lab(app, "example_errata", sentences="3", words="12")
    assert "on (36, 32), the positions go on" in tables(said)
    labels = {each.label for each in app.button}
    assert "Layer norm :orange-badge[⚠ 5]" in labels  # no wrong number, but not the code's
    assert "Softmax, 4 × 4 :red-badge[≠ 5]" in labels


def test_reasons_are_said_with_the_counts_of_the_data(lab: AppTest) -> None:
    app = chosen(lab, "pe-matrix")
    halved = errata_of("pe-matrix")[0]
    assert f"Wrong are {halved.wrong} of the {halved.shown} numbers" in tables(app)
    assert f"in {halved.rows} of {halved.all_rows} rows" in tables(app)
    app = chosen(lab, "softmax-4x4")
    shares = compute_example("softmax-4x4").quantity("weights").value
    rounded = [f"{shares[cell]:.1f}" for cell in ((1, 0), (1, 1), (3, 3))]
    assert "the second row has {} and {}, the last one ends in {}".format(*rounded) in tables(app)


def test_nothing_is_said_of_the_notes_where_nothing_of_them_is_kept(lab: AppTest) -> None:
    for key in example_keys():
        line = example_results.example_status(compute_example(key), False)
        compared = any(each.printed is not None for each in compute_example(key).quantities)
        assert ("holds no printed numbers" in line) == (not compared), key


def test_in_chinese() -> None:
    app = opened("lab", language="zh", example="errata")
    assert "勘误总表" in [each.label.split(" :")[0] for each in app.button]
    assert f"原因共 {count_errata('number').reasons} 种" in "\n".join(
        each.value for each in app.markdown
    )


def test_an_example_is_chosen_and_stands_in_the_link(lab: AppTest) -> None:
    app = chosen(lab, "layer-norm")
    assert state_of(app).example == "layer-norm"
    assert app.query_params["example"] == "layer-norm"
    assert "What does layer norm divide by?" in "\n".join(each.value for each in app.markdown)


FIELDS = [
    Field("x", "x", 1.5),
    Field("rows", "X", [[1.0, -0.25], [2.0, 1e-6]], "table"),
    Field("mask", "M", [[True, False]], "flags"),
    Field("words", "w", ["a-b", "-"], "row"),
]


def test_originals_are_written_as_they_stand_in_inputs() -> None:
    assert [original_value(field) for field in FIELDS] == [
        "1.5",
        [["1", "−0.25"], ["2", "0.000001"]],
        [[1, 0]],
        ["a-b", "-"],
    ]
    assert input_value(1e-30) == "1e-30"
    assert input_value("-3") == "−3"


def test_what_no_input_can_hold_is_left_out() -> None:
    given = {"x": ["1"], "rows": [["1"], ["2", "3"]], "mask": [[0, 1]], "words": "a", "other": "1"}
    assert clean_values(given, FIELDS) == {"rows": [["1"], ["2", "3"]], "mask": [[0, 1]]}
    assert clean_values({"x": "1" * 1000, "rows": [["1"] * 9999]}, FIELDS) == {}
    assert clean_values({"x": True, "rows": [[None]]}, FIELDS) == {}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the session keeps, and no drawing."""
    session: dict[str, Any] = {"memory": Memory()}
    monkeypatch.setattr(kit.store, "memory", lambda: session["memory"])
    monkeypatch.setattr(kit.store, "get_state", lambda: session.get("state", State()))

    def update(**changes: Any) -> None:
        session["state"] = kit.store.get_state().changed(**changes)

    monkeypatch.setattr(kit.store, "update", update)
    monkeypatch.setattr(kit, "_draw", lambda *rest: session.__setitem__("drawn", rest))
    return session


def double(x: str) -> float:
    if x == "bad":
        raise GlassformerError("lab_number", name="x", given=x)
    return 2 * float(x.replace("−", "-"))


def test_bad_input_keeps_the_last_good_result(kept: dict[str, Any]) -> None:
    field = [Field("x", "x_1", 1.5)]
    answer = kit.compute_from_inputs("demo", field, double)
    assert (answer.result, answer.typed) == (3.0, {"x": "1.5"})
    assert kept["drawn"][3:5] == (("", None), False)
    kit.put_inputs("demo", x=-4.0)
    answer = kit.compute_from_inputs("demo", field, double)
    assert (answer.result, answer.typed) == (-8.0, {"x": "−4"})
    assert kept["drawn"][3:5] == (("", None), True)
    kit.put_inputs("demo", x="bad")
    assert kit.compute_from_inputs("demo", field, double).result == -8.0
    (said, wrong), edited = kept["drawn"][3:5]
    assert (wrong, edited) == ("x", True)
    assert said.startswith("x_1 holds “bad”")
    assert kept["state"].inputs == "demo:x,−4"  # a link has what can be computed
    kit.reset_inputs("demo")
    assert kit.compute_from_inputs("demo", field, double).result == 3.0
    assert kept["memory"].lab_stamps["demo"] == 3


def test_a_note_stands_where_nothing_is_wrong(kept: dict[str, Any]) -> None:
    kit.compute_from_inputs(
        "demo", [Field("x", "x", 1)], double, note=lambda result, edited: f"{result}{edited}"
    )
    assert kept["drawn"][3] == ("2.0False", None)

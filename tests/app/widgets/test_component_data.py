"""What goes to the components' code in the browser is JSON, whatever the numbers are."""

import json
import math
import re
from collections import Counter
from importlib import import_module

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.ui.component import SCRIPTS, json_bytes
from tests.opened_app import opened

LOST = "mask_fill;lines:*,(),(3)"  # from the fourth word on every number is NaN
PLACES = [
    ("vectors", {"vectors": "stream"}),
    ("vectors", {"vectors": "lens"}),
    ("vectors", {"vectors": "neurons", "stack": "decoder"}),
    ("walkthrough", {"walk": "output.probabilities"}),
    ("tensors", {"trail": "encoder/0/self_attention/context@1,1,4,2"}),
    ("translate", {"trail": "output/logits@1,1,5"}),
]


def refused(name: str) -> float:
    raise ValueError(name)


def sent(app: AppTest) -> list[str]:
    return [each.proto.bytes.decode() for each in app.get("bidi_component") if each.proto.bytes]


def test_numbers_that_are_none_are_sent_as_none() -> None:
    given = {"a": [1.5, math.nan, (math.inf, "nan")], "b": {"c": -math.inf, "d": True}}
    wanted = {"a": [1.5, None, [None, "nan"]], "b": {"c": None, "d": True}}
    assert json.loads(json_bytes(given)) == wanted


def test_what_is_json_is_sent_as_it_is() -> None:
    given = {"a": (1, 2.5), "b": None, "c": "“<b>”\u2028"}
    assert json.loads(json_bytes(given)) == given | {"a": [1, 2.5]}
    assert json_bytes(b"{}") == b"{}"


@pytest.mark.parametrize(("page", "query"), PLACES)
def test_a_run_that_lost_its_numbers_is_sent(page: str, query: dict[str, str]) -> None:
    app = opened(page, edits=LOST, **query)
    texts = sent(app)
    assert texts
    for text in texts:
        json.loads(text, parse_constant=refused)
        assert not re.search(r"\bnan\b", text)
    told = "\n".join(str(each.value) for each in (*app.markdown, *app.caption))
    assert not re.search(r"\bnan\b", told)


def test_the_scripts_of_a_component_share_no_name() -> None:
    # They are sent as one: where two declare the same name, nothing of them would run.
    for module in ("switch.masks.mask_grid", "switch.heads.panel", "walkthrough.scene.scene"):
        import_module(f"glassformer.app.pages.{module}")
    assert {"mask_grid", "head_grid", "scene"} <= SCRIPTS.keys()
    for name, files in SCRIPTS.items():
        code = "\n".join(file.read_text(encoding="utf-8") for file in files)
        said = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", code, re.M)
        assert [each for each, count in Counter(said).items() if count > 1] == [], name

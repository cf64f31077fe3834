"""What the first page needs is loaded first, and its words are told before the rest."""

import json
import subprocess
import sys
from typing import Any

import pytest
from starlette.requests import Request

from glassformer.app.frame.first_words import PLAIN, first_words, first_words_route
from glassformer.app.runs.traces import get_trace
from glassformer.app.session.state import FIRST_SENTENCE, State
from glassformer.core.lectures.links import pack_query
from tests.architecture.sources import ROOT
from tests.visitor import run

# What is loaded though it is not needed yet: when the port answers (Streamlit's own search for
# components included), when the model is there, when the sizes of its run's files are known, and
# when the first page can be drawn.
START = """
import sys
from importlib import import_module
from unittest.mock import patch
import serve
from streamlit.components.v2.component_manager import BidiComponentManager
with patch("importlib.metadata.distributions") as packages:
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
loaded = ["what all packages say of themselves"] * packages.called
loaded += ["torch"] * ("torch" in sys.modules)
from glassformer.core.text_models.checkpoints import load_model
trace = load_model().trace("The cat sleeps.")
loaded += ["torch._dynamo"] * ("torch._dynamo" in sys.modules)
from glassformer.core.analysis.export import file_sizes
file_sizes(trace, "source/ids")
loaded += ["pandas, for the sizes of files"] * ("pandas" in sys.modules)
from glassformer.app.server import process
for name in serve.FIRST:
    import_module(f"glassformer.app.{name}")
loaded += ["pandas, for the first page"] * ("pandas" in sys.modules)
print(loaded)
"""


def test_nothing_is_loaded_before_it_is_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def words_of(**query: str) -> Any:
    return first_words(query)


def test_the_first_words_are_those_of_the_run() -> None:
    written = get_trace(FIRST_SENTENCE).output_text
    told = {"text": written, "language": "zh"}
    assert words_of() == words_of(size="150", theme="dark", language="zh") == told
    get_trace(cat := "I have a cat")
    there = {"text": "我有一只猫", "language": "zh"}
    packed = pack_query(State(text=cat, language="zh").to_query())
    assert words_of(text=cat) == first_words(packed) == there
    get_trace("我有一只猫")
    assert words_of(text="我有一只猫")["language"] == "en"


@pytest.mark.parametrize(
    "query",
    [
        {"text": "Nobody has asked for this yet"},  # nothing is computed for it
        {"text": "I have a cat. I have a dog."},  # the app shows both
        {"text": "Colourless green ideas sleep furiously"},  # not to be trusted
        {"edits": "off encoder 1 1"},
        {"model": "small-gpt"},
        {"second": "I like you"},
        {"size": "no number"},
        {"presenting": "again"},
    ],
    ids=str,
)
def test_where_there_is_more_to_say_the_app_says_it(query: dict[str, str]) -> None:
    if "text" in query and not query["text"].startswith("Nobody"):
        get_trace(query["text"])
    assert first_words(query) is None


def test_each_part_of_a_plain_link_is_one_of_the_state() -> None:
    assert {each for each in PLAIN if hasattr(State, each)} == PLAIN


def test_who_asks_before_the_model_is_loaded_is_told_when_it_is() -> None:
    get_trace(FIRST_SENTENCE)
    looks = iter((False, False))
    route = first_words_route(lambda: next(looks, True))
    asked = Request({"type": "http", "path": "/", "query_string": b"size=125", "headers": []})
    answer = run(route.endpoint(asked))
    assert next(looks, True) is True  # all were made
    assert json.loads(answer.body) == first_words({}) and answer.headers["cache-control"]

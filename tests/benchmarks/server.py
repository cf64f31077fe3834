"""The real pages run through Streamlit's own test runner: what a rerun costs, what it sends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any
from unittest.mock import patch

from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from glassformer.app.server.process import prepare_process
from glassformer.app.session.state import FIRST_SENTENCE, State
from glassformer.core.text_models.checkpoints import load_model
from tests.browser.driver import ROOT


def text_of(tokens: int) -> str:
    """An English text of that many tokens, the end included."""
    tokenizer = load_model().tokenizer
    words: list[str] = []
    for word in cycle(FIRST_SENTENCE.split()):
        words.append(word)
        if len(tokenizer.encode(" ".join(words), "en").ids) >= tokens:
            return " ".join(words)
    raise AssertionError("a cycle does not end")


@dataclass
class Run:
    """The last run of the script: when it was over, and what it sends."""

    over: float = 0.0  # process time
    messages: list[Any] = field(default_factory=list)


def opened(page: str, **query: str) -> AppTest:
    """A page after its first run.

    Errors: RuntimeError where it shows an exception.
    """
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run().switch_page(f"app/pages/{page}/page.py").run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    prepare_process()
    return app


def rerun(app: AppTest, run: Run, **changes: Any) -> float:
    """CPU seconds from a change of the state to the bytes that would be sent."""
    state: State = app.session_state["state"]
    app.session_state["state"] = replace(state, **changes)
    start = time.process_time()
    app.run()
    script = run.over - start
    start = time.process_time()
    for message in run.messages:
        message.SerializeToString()
    return script + time.process_time() - start


def name_of(message: Any) -> str:
    """The key of the element that a message draws, or its kind."""
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    own = getattr(getattr(element, kind), "id", "") if kind else message.WhichOneof("type")
    return str(own).rpartition("-")[2] or str(kind)


@contextmanager
def watched() -> Iterator[Run]:
    """Reads the runner's messages, and the clock before the test runner unpacks them.

    Scripts are compiled once, as by the server; the test runner alone does it at every run.
    """
    run, usual, compiled = Run(), LocalScriptRunner.forward_msgs, ScriptCache()

    def forward_msgs(runner: LocalScriptRunner) -> Any:
        run.over, run.messages = time.process_time(), list(usual(runner))
        return run.messages

    with (
        patch.object(LocalScriptRunner, "forward_msgs", forward_msgs),
        patch.object(app_test, "ScriptCache", lambda: compiled),
        patch.object(local_script_runner, "ScriptCache", lambda: compiled),
    ):
        yield run

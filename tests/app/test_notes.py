"""docs/notes.md: every address leads where it says."""

import re
from dataclasses import fields
from urllib.parse import parse_qsl

import pytest

from glassformer.app.pages.lab.examples.panel import OVERVIEW
from glassformer.app.session.state import State
from glassformer.core.explain.steps.steps import list_steps
from glassformer.core.lab.worked_examples import example_keys
from tests.architecture.sources import ROOT
from tests.opened_app import drawn, opened, state_of

ROWS = re.findall(
    r"^\| (\d+) \| .+ \| `(\w*)\?(\S.*?)` \| [^|]+ \|$",
    (ROOT / "docs/notes.md").read_text("utf-8"),
    re.M,
)


def test_no_item_is_left_out() -> None:
    assert [int(number) for number, *_ in ROWS] == [*range(1, len(ROWS) + 1)]
    assert len(ROWS) == 88


@pytest.mark.parametrize(("page", "query"), dict.fromkeys(row[1:] for row in ROWS))
def test_an_address_of_the_notes_opens_what_it_says(page: str, query: str) -> None:
    asked = dict(parse_qsl(query))
    wanted, unread = State.from_query(asked)
    assert not unread and asked.keys() <= {each.name for each in fields(State)}
    app = opened(page or "translate", **asked)
    assert not app.error and not app.warning
    for name in asked:
        assert getattr(state_of(app), name) == getattr(wanted, name), name
    assert not wanted.address or wanted.address in drawn(app)
    assert not wanted.walk or wanted.walk in {step.id for step in list_steps(drawn(app))}
    assert not wanted.example or wanted.example in (OVERVIEW, *example_keys())

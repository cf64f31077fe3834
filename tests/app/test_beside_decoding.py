"""The Decoding page with two runs: whose step it is, and which pass its numbers are from."""

import re

import pytest

from tests.app.test_beside import TIRED, charts, html, said
from tests.opened_app import opened

LONG = TIRED.replace("street", "long street").replace("tired", "wide")


def test_steps_are_counted_as_each_run_counts_them() -> None:
    app = opened("decoding", text=TIRED, second=LONG)
    heads = re.findall(r"<th scope='col'>Step ([^<]+)</th>", html(app))
    assert heads[:7] == ["1", "2", "3", "–|4", "–|5", "4|6", "5|7"]
    assert charts(app, "beside_steps_chart")["layout"]["xaxis"]["ticktext"] == heads
    assert "finished sentence" not in said(app)


@pytest.mark.parametrize("page", ["translate", "decoding"])
def test_numbers_other_than_those_that_chose_the_words_are_said_to_be(page: str) -> None:
    note = "one pass over the finished sentence"
    assert note in said(opened(page, edits="causal", run="both"))
    assert note not in said(
        opened(page, edits="heads_off:encoder/0/self_attention,(0)", run="both")
    )

"""Markdown and formulas as markup: nothing of a user's text becomes a tag."""

import re

import pytest

from glassformer.app.takeaway.formulas import mathml
from glassformer.app.takeaway.texts import html_of, line_of, paragraphs, without_markup
from glassformer.app.ui.text import literal
from glassformer.core.trace.sites import SITES
from tests.takeaway.lectures import HOSTILE


@pytest.mark.parametrize("write", [html_of, line_of, paragraphs])
def test_tags_of_a_text_are_words(write: object) -> None:
    written = write(HOSTILE)  # type: ignore[operator]
    assert "<script" not in written and "<b>" not in written and "<!--" not in written
    assert "&lt;script&gt;" in written


def test_what_was_typed_is_what_is_read() -> None:
    typed = r"a*b* _c_ $x$ :red[d] \alpha `e` <i> [f](http://example.org) | ~ #"
    assert without_markup(literal(typed)) == typed
    assert "<em>" not in line_of(literal(typed)) and "<math" not in line_of(literal(typed))


def test_our_own_markdown() -> None:
    assert line_of("**a** *b* :orange[◆ **c**] :material/history: d") == (
        '<strong>a</strong> <em>b</em> <span class="ink-orange">◆ <strong>c</strong></span> d'
    )
    assert "<table>" in html_of("a | b\n--|--\n1 | 2")
    nested = ":small[:gray[`a/b` (B × T) [c] = 1]]"
    gray = '<span class="ink-gray"><code>a/b</code> (B × T) [c] = 1</span>'
    assert line_of(nested) == f'<span class="ink-small">{gray}</span>'
    assert "<i>a</i>" in html_of("<i>a</i>", keep_tags=True)
    assert paragraphs("a\nb\n\nc") == '<p dir="auto">a<br>b</p><p dir="auto">c</p>'


def test_formulas() -> None:
    assert (
        mathml("x_i")
        == '<math display="inline"><mrow><msub><mi>x</mi><mi>i</mi></msub></mrow></math>'
    )
    rows = mathml(r"\begin{aligned}a &= \mathrm{softmax}(b) \\[2pt] c &= d\end{aligned}")
    assert rows.count("<mtr>") == 2 and rows.count("<mtd>") == 4
    assert "<mtext>softmax</mtext>" in rows
    assert mathml(r"\nosuch{<b>}") == r"<code>\nosuch{&lt;b&gt;}</code>"


@pytest.mark.parametrize("latex", sorted({site.equation for site in SITES if site.equation}))
def test_every_equation_of_the_model_can_be_set(latex: str) -> None:
    written = mathml(latex)
    assert written.startswith("<math") and not re.search(r"\\[a-z]", written)

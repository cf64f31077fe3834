"""Every recorded site and every axis is said in one line, in every language."""

from typing import get_args

import pytest

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import texts_of_language
from glassformer.core.trace.sites import SITES, AxisName, Site


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.text_key)
def test_every_site_has_one_line(site: Site, language: str) -> None:
    text = texts_of_language(language)[site.text_key]
    assert text.strip()
    assert "\n" not in text
    assert len(text) <= 72, f"a title, {len(text)} characters of at most 72: {text}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("axis", get_args(AxisName))
def test_every_axis_has_a_word(axis: str, language: str) -> None:
    text = texts_of_language(language)[f"axes.{axis}"]
    assert 0 < len(text) <= 16, f"the name of an axis, {len(text)} characters of at most 16: {text}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_for_a_site_or_axis_that_is_not_there(language: str) -> None:
    known = {site.text_key for site in SITES} | {f"axes.{axis}" for axis in get_args(AxisName)}
    said = {key for key in texts_of_language(language) if key.startswith(("sites.", "axes."))}
    assert said == known


def test_sites_of_a_group_are_told_apart() -> None:
    for language in LANGUAGES:
        for group in {site.group for site in SITES}:
            lines = [
                texts_of_language(language)[site.text_key] for site in SITES if site.group == group
            ]
            assert len(set(lines)) == len(lines)

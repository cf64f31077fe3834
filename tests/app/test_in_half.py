"""Every page of a model that computes in half as many bits: bfloat16, which NumPy has not."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from glassformer.app.runs import models
from glassformer.app.runs.cache import SERVER
from glassformer.core.text_models.translator import Translator
from tests.app.test_on_device import SCREENS
from tests.opened_app import drawn, opened


@pytest.fixture(scope="module", autouse=True)
def _in_half() -> Iterator[None]:
    real = models.load_model

    def load(place: Any = None) -> Translator:
        return real(place, dtype="bfloat16")

    _forget()  # what other tests left is in float32
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "load_model", load)
        yield
    _forget()


def _forget() -> None:
    models._load.cache_clear()
    for cache in SERVER.caches:
        cache.clear()


@pytest.mark.parametrize(("page", "query"), SCREENS, ids=lambda each: str(each)[:40])
def test_a_page_is_drawn(page: str, query: dict[str, str]) -> None:
    app = opened(page, **query)
    assert not app.error
    if page != "lab":
        assert drawn(app)["memory"].dtype == torch.bfloat16

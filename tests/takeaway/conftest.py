"""The page of a lecture, written once for all tests that read it."""

import pytest

from glassformer.app import takeaway
from tests.takeaway.lectures import LECTURE


@pytest.fixture(scope="session")
def written() -> bytes:
    return takeaway.page(LECTURE, "en")

"""What the tests of training share."""

import pytest

from core.corpus import load_grammar
from core.text.tokenizer import Tokenizer
from core.training.data import corpus_tokenizer


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """The words of a small sample of the grammar."""
    return corpus_tokenizer(load_grammar(), 3000)

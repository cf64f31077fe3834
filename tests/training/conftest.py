"""What the tests of training share."""

import pytest

from glassformer.core.corpus import load_grammar
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.training.data import corpus_tokenizer


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """The words of a small sample of the grammar."""
    return corpus_tokenizer(load_grammar(), 3000)

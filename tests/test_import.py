"""`import glassformer` waits for nothing that is not asked for."""

import subprocess
import sys
from pathlib import Path

import glassformer

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "numpy", "pandas", "streamlit", "plotly", "transformers", "tokenizers"}
PROGRAM = """
import sys
import glassformer as gf
gf.keep_freed_memory()
print(*sys.modules)
"""


def test_neither_torch_nor_another_large_library_is_imported_before_it_is_needed() -> None:
    command = [sys.executable, "-c", PROGRAM]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "glassformer.core.settings" in found.stdout.split()
    assert not HEAVY & set(found.stdout.split())


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    assert set(glassformer.__all__) == set(glassformer._PLACES)
    missing = [name for name in glassformer.__all__ if not hasattr(glassformer, name)]
    assert not missing and callable(glassformer.wrap)
    assert all(getattr(glassformer, name).__doc__ for name in glassformer.__all__)
    assert glassformer.load is glassformer.load_model

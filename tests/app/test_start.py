"""What the first page does not need is not loaded before it."""

import subprocess
import sys

from tests.architecture.sources import ROOT

FIRST_PAGE = """
import sys
from importlib import import_module
import serve
from app import process
for name in serve.FIRST:
    import_module(f"app.widgets.{name}")
print("pandas" in sys.modules)
"""


def test_the_first_page_comes_without_pandas() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"

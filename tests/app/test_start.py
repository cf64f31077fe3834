"""What the first page does not need is not loaded before it."""

import subprocess
import sys

from tests.architecture.sources import ROOT

FIRST_PAGE = """
import sys
from importlib import import_module
import serve
from glassformer.app.server import process
for name in serve.FIRST:
    import_module(f"glassformer.app.{name}")
print("pandas" in sys.modules)
"""


def test_the_first_page_comes_without_pandas() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


SIZES = """
import sys
from glassformer.core.analysis.export import file_sizes
from glassformer.core.text_models.checkpoints import load_model
trace = load_model().trace("The cat sleeps.")
file_sizes(trace, "source/ids")
print("pandas" in sys.modules)
"""
PORT = """
import sys
import serve
print("torch" in sys.modules)
"""
MODEL = """
import sys
from glassformer.core.text_models.checkpoints import load_model
load_model()
print("torch._dynamo" in sys.modules)
"""


def test_port_model_and_sizes_of_files_come_without_what_they_do_not_need() -> None:
    for script in (PORT, MODEL, SIZES):
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "False"

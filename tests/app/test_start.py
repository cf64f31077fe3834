"""What the first page does not need is not loaded before it."""

import subprocess
import sys

from tests.architecture.sources import ROOT

# What is loaded though it is not needed yet: when the port answers (Streamlit's own search for
# components included), when the model is there, when the sizes of its run's files are known, and
# when the first page can be drawn.
START = """
import sys
from importlib import import_module
from unittest.mock import patch
import serve
from streamlit.components.v2.component_manager import BidiComponentManager
with patch("importlib.metadata.distributions") as packages:
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
loaded = ["what all packages say of themselves"] * packages.called
loaded += ["torch"] * ("torch" in sys.modules)
from glassformer.core.text_models.checkpoints import load_model
trace = load_model().trace("The cat sleeps.")
loaded += ["torch._dynamo"] * ("torch._dynamo" in sys.modules)
from glassformer.core.analysis.export import file_sizes
file_sizes(trace, "source/ids")
loaded += ["pandas, for the sizes of files"] * ("pandas" in sys.modules)
from glassformer.app.server import process
for name in serve.FIRST:
    import_module(f"glassformer.app.{name}")
loaded += ["pandas, for the first page"] * ("pandas" in sys.modules)
print(loaded)
"""


def test_nothing_is_loaded_before_it_is_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

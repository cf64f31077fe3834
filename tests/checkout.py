"""A copy of this checkout to which a test may add, and a process in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT


def copy_checkout(home: Path) -> None:
    """Copy what runs into a folder; what is large or only read is linked."""
    for name in ("app", "core", ".streamlit"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "serve.py", "glassformer.py"):
        shutil.copy(ROOT / name, home)
    for name in ("assets", "tests"):
        (home / name).symlink_to(ROOT / name)


def run_in(home: Path, *arguments: str) -> None:
    """Run Python there, which finds that checkout and no other."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=home, env=given, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr

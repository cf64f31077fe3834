"""The documentation site: its pages, laid out from docs/, README and docstrings, and built.

    python -m scripts.docs             into site/html, which git ignores
    python -m scripts.docs --into DIR  into DIR/site/html

zensical reads zensical.toml and warns of links that lead nowhere: a warning ends the build.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.docs.errors import write_errors
from scripts.docs.gallery import run_gallery
from scripts.docs.pages import ROOT, lay_pages
from scripts.docs.reference import write_reference
from scripts.docs.tools import write_tools


def lay_out(pages: Path) -> None:
    """All pages as Markdown, in a folder that is emptied before."""
    shutil.rmtree(pages, ignore_errors=True)
    lay_pages(pages)
    write_errors(pages)
    write_tools(pages)
    write_reference(pages)
    run_gallery(pages)


def build(into: Path) -> Path:
    """The site as HTML, below `into`.

    Raises:
        subprocess.CalledProcessError: zensical warned of something, and said of what.
    """
    lay_out(into / "site/pages")
    config = into / "zensical.toml"
    if into != ROOT:
        shutil.copyfile(ROOT / "zensical.toml", config)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(config)]
    subprocess.run(command, check=True, cwd=into)
    return into / "site/html"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--into", type=Path, default=ROOT, help="a folder; the checkout without")
    print(f"Open {build(parser.parse_args().into.resolve()) / 'index.html'}")  # noqa: T201

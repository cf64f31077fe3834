"""The package: the wheel that is built here, used in a bare environment and a foreign folder."""

import os
import re
import socket
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import glassformer
from tests.architecture.sources import ROOT, imports, python_files
from tests.browser import driver

MOST_BYTES = 45 * 10**6
PROGRAM = """
import sys
from pathlib import Path
import glassformer
assert Path(glassformer.__file__).is_relative_to(sys.prefix), glassformer.__file__
trace = glassformer.load_model().trace("I like the dog")
trace.save("run.safetensors")
again = glassformer.Trace.load("run.safetensors")
assert list(again) == list(trace) and again.output_text == trace.output_text
assert not {"core", "app"} & sys.modules.keys()
print(glassformer.__version__, trace.output_text)
"""
# A researcher's afternoon with what the package depends on: what its extras bring is not there.
RESEARCH = """
import sys
for extra in ("anywidget", "ipywidgets", "xarray", "transformers", "huggingface_hub", "IPython"):
    sys.modules[extra] = None
import glassformer as gf
assert gf.__version__ and gf.__doc__ and "keep_freed_memory" in gf.__all__
heavy = {"torch", "numpy", "pandas", "streamlit", "plotly", "tokenizers"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
model = gf.load()
assert "torch" in sys.modules and "streamlit" not in sys.modules
clean, corrupt, target = "The animal was too tired", "The animal was too wide", "动物太累了"
run = model.run(clean, target=target)
metric = gf.logit_diff("累", "宽", at=-1)
slopes = model.run(clean, target=target, grad=True).gradients(metric)
assert slopes["encoder/0/feed_forward/output"].abs().max() > 0
grid = gf.patch(
    model, clean, corrupt, metric, over=("layer", "position"), site="encoder/stream", target=target
)
shares = gf.attribute(model, clean, metric, method="integrated_gradients", target=target)
parts = gf.direct_logit_attribution(run, "累", "宽")
push = gf.Edit("decoder/*/feed_forward_residual/summed", lambda x: x * 1.1, each_position=True)
written = model.generate(clean, max_new_tokens=5, edits=[push], record="steps")
drawn = model.generate([clean, corrupt], max_new_tokens=5, temperature=1.0, seed=1)
scores = gf.head_scores(model, [clean, corrupt], kinds=("previous", "induction", "duplicate"))
assert written.trace is not None and len(drawn) == 2
for found in (grid, shares, parts, parts.by_head(), written, scores, gf.logit_lens(run)):
    assert len(found.table()) and "<table" in found.show().html, found
assert "<table" in run.show("decoder/1/cross_attention/weights", head=0).html
assert "<table" in run.show.lines().html and b"<html" in run.show.lens().page
try:
    run.to_xarray("output/logits")
except gf.GlassformerError as error:
    print(error.key)
assert not {"core", "app"} & sys.modules.keys()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, and of this one what it depends on."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home)
    programs = home / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def environment() -> dict[str, str]:
    """That of a user: nothing leads to the checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(command: list[object], folder: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_is_small_and_holds_one_package(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as held:
        names = held.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"glassformer", f"glassformer-{glassformer.__version__}.dist-info"}
    assert {"glassformer/py.typed", "glassformer/.streamlit/config.toml"} <= set(names)
    for folder in ("core", "app"):  # whatever git knows of them is there
        known = {f"glassformer/{path.relative_to(ROOT)}" for path in (ROOT / folder).rglob("*.py")}
        assert known - {"glassformer/core/__main__.py"} <= set(names)


def test_it_is_imported_and_runs_in_a_foreign_folder(installed: Path, tmp_path: Path) -> None:
    said = run([installed / "python", "-c", PROGRAM], tmp_path)
    assert said.split() == [glassformer.__version__, "我喜欢狗"]
    assert (tmp_path / "run.safetensors").stat().st_size > 100_000


def test_its_tools_need_no_extra(installed: Path, tmp_path: Path) -> None:
    assert run([installed / "python", "-c", RESEARCH], tmp_path) == "no_xarray\n"
    assert not list(tmp_path.iterdir())


def test_its_command(installed: Path, tmp_path: Path) -> None:
    command = installed / "glassformer"
    assert run([command, "--version"], tmp_path) == f"Glassformer {glassformer.__version__}\n"
    assert run([command, "translate", "I like the dog"], tmp_path) == "我喜欢狗\n"
    assert run([installed / "python", "-m", "glassformer", "--version"], tmp_path)
    listed = run([command, "--help"], tmp_path)
    for name in ("translate", "fetch", "export", "run", "train", "lecture"):
        assert f" {name} " in listed


def test_its_app_opens(installed: Path, tmp_path: Path, browser: Browser) -> None:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [installed / "glassformer", "--server.port", port, "--server.headless", "true"]
    with (tmp_path / "log.txt").open("wb") as log:
        server = subprocess.Popen(
            list(map(str, command)), cwd=tmp_path, env=environment(), stdout=log, stderr=log
        )
    try:
        driver.wait_for(f"http://localhost:{port}", server)
        for path in ("", "attention", "lab"):
            page = driver.open_page(browser, f"http://localhost:{port}/{path}")
            assert page.locator("iframe, canvas, svg, button").count() > 5
            assert page.locator('[data-testid="stException"]').count() == 0
            page.context.close()
        with urllib.request.urlopen(f"http://localhost:{port}/hall/") as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        server.wait(timeout=20)
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (each for extra in project["optional-dependencies"].values() for each in extra)
    declared = {distribution(each) for each in (*project["dependencies"], *extras)}
    known = packages_distributions()
    for path in python_files("core", "app", "app.py", "serve.py", "glassformer.py"):
        for name in imports(path):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top not in known:
                continue
            assert declared & set(map(distribution, known[top])), f"{path}: {top}"
    pinned = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    names = {distribution(line) for line in pinned if line and line[0] != "#"}
    assert names == {*map(distribution, project["dependencies"]), "huggingface_hub"}


def distribution(requirement: str) -> str:
    return re.split(r"[^\w-]", requirement, maxsplit=1)[0].lower().replace("-", "_")

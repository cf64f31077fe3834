"""Imports go one way: app.py → views → {widgets, figures, service, state, words} → core."""

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, imports, module_name, python_files

# Who may import what of the project. The longest name that fits a module decides.
ALLOWED = {
    "core.errors": (),
    "core.config": ("core.errors",),
    "core.device": ("core.errors", "core.settings"),
    "core.settings": ("core.errors",),
    "core.interruption": ("core.errors",),
    "core.stored": (),
    "core.trace.tape": ("core.errors", "core.interruption"),
    "core.trace.sites": ("core.config",),
    "core.memory": (),
    "core.decoding": (
        "core.config",
        "core.decoding",
        "core.device",
        "core.errors",
        "core.interruption",
        "core.model",
        "core.trace.tape",
    ),
    "core.lab": ("core.config", "core.errors", "core.lab", "core.model", "core.trace.tape"),
    "core.model": ("core.errors", "core.config", "core.model", "core.trace.tape"),
    "core.text": ("core.errors", "core.stored", "core.text"),
    "core.corpus": ("core.errors", "core.text", "core.corpus"),
    "core.walk": (
        "core.config",
        "core.decoding.step",
        "core.errors",
        "core.model",
        "core.reading",
        "core.trace",
        "core.walk",
    ),
    "core.trail": (
        "core.config",
        "core.errors",
        "core.model",
        "core.reading",
        "core.trace",
        "core.trail",
    ),
    "core.edits": (
        "core.config",
        "core.decoding",
        "core.device",
        "core.edits",
        "core.errors",
        "core.model",
        "core.stored",
        "core.text",
        "core.trace",
        "core.translator",
    ),
    "core.reading": (
        "core.config",
        "core.decoding.guard",
        "core.device",
        "core.errors",
        "core.model",
        "core.reading",
        "core.text",
        "core.trace",
    ),
    "core.training": (
        "core.checkpoints",
        "core.config",
        "core.corpus",
        "core.decoding",
        "core.device",
        "core.errors",
        "core.history",
        "core.memory",
        "core.model",
        "core.reading",
        "core.stored",
        "core.text",
        "core.trace",
        "core.training",
        "core.translator",
    ),
    "core.workshop": (
        "core.checkpoints",
        "core.corpus",
        "core.errors",
        "core.history",
        "core.interruption",
        "core.settings",
        "core.stored",
        "core.text",
        "core.training",
        "core.workshop",
    ),
    "core": ("core",),
    "app.codecs": ("core",),
    "app.limits": ("app.codecs", "core"),
    "app.cache": ("app.limits", "core"),
    "app.link": (),
    "app.screen": ("app.codecs", "core"),
    "app.bounds": ("app.screen", "core"),
    "app.state": ("app.bounds", "app.codecs", "app.link", "app.screen"),
    "app.admission": ("app.limits", "app.state"),
    "app.words": ("app.words", "app.state"),
    "app.uploads": ("app.limits",),
    "app.work": ("app.limits", "app.state", "app.words", "core"),
    "app.trainings": ("app.state", "app.cache", "core"),
    "app.experiments": ("app.limits", "app.state", "core"),
    "app.models": ("app.cache", "app.trainings", "core"),
    "app.traces": ("app.cache", "app.models", "core"),
    "app.opened": ("app.cache", "app.models", "app.state", "core"),
    "app.opening": (
        "app.experiments",
        "app.models",
        "app.opened",
        "app.state",
        "app.trainings",
        "core",
    ),
    "app.process": ("app.admission", "app.state", "app.traces", "app.trainings", "core"),
    "app.service": (
        "app.experiments",
        "app.models",
        "app.opened",
        "app.state",
        "app.traces",
        "core",
    ),
    "app.figures": ("app.figures", "core"),
    "app.widgets": (
        "app.admission",
        "app.experiments",
        "app.limits",
        "app.widgets",
        "app.figures",
        "app.scripts",
        "app.opened",
        "app.opening",
        "app.service",
        "app.state",
        "app.trainings",
        "app.uploads",
        "app.words",
        "core",
    ),
    "app.views": ("app.widgets", "app.figures", "app.service", "app.state", "app.words", "core"),
    "app.py": ("app",),
    "serve.py": (
        "app.headers",
        "app.process",
        "app.reach",
        "app.scripts",
        "app.uploads",
        "app.wake_ups",
        "app.widgets",
        "core.errors",
        "core.memory",
        "core.settings",
    ),
    "app": (),
}
# What must stay out for good.
BANNED = {
    "core": ("streamlit", "plotly", "app"),
    "app.screen": ("streamlit", "torch", "plotly"),
    "app.figures": ("streamlit", "torch"),
    "app.words": ("torch", "plotly"),
}
FILES = python_files("core", "app", "app.py", "serve.py")


def below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


def rule(module: str) -> str:
    return max((top for top in ALLOWED if below(module, (top,))), key=len)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_follow_the_arrows(path: Path) -> None:
    module = module_name(path)
    allowed = ALLOWED[rule(module)]
    # `from app import state` names app.state: a package counts by what is taken from it.
    own = {name for name in imports(path) if below(name, ("app", "core"))}
    wrong = sorted(name for name in own if not below(name, allowed))
    assert not wrong, f"{module} imports {wrong}; it may import {allowed}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_must_stay_out(path: Path) -> None:
    module = module_name(path)
    for top, banned in BANNED.items():
        if below(module, (top,)) and module != "app.py":
            wrong = sorted(name for name in imports(path) if below(name, banned))
            assert not wrong, f"{module} imports {wrong}"


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 20
    assert rule("core.model.attention") == "core.model"
    assert rule("app.widgets.bridge.bridge") == "app.widgets"
    assert rule("app.py") == "app.py"

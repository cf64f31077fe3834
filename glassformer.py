"""Glassformer: a Transformer with glass walls, as a Python package and as an app.

`load_model` opens the bundled translator or a folder with somebody else's model; its
`trace(text)` gives a `Trace`, every tensor of the run under its address. The command `glassformer`
(from a checkout `python -m glassformer`) opens the app, `glassformer --help` lists what else it
does.

In a checkout this file makes the folder it lies in the package: `core` there is `glassformer.core`.
An installed package has it as its `__init__.py`, with `core`, `app` and `assets` beside it.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassformer.core.text_models.checkpoints import list_models, list_snapshots, load_history
    from glassformer.core.trace.tape import Edit
    from glassformer.core.trace.trace import Trace
    from glassformer.core.weights.load import load_model

__version__ = "0.6.0"
__all__ = ["Edit", "Trace", "list_models", "list_snapshots", "load_history", "load_model"]

HOME = Path(__file__).resolve().parent
__path__ = [str(HOME)]
_PLACES = {
    "Edit": "core.trace.tape",
    "Trace": "core.trace.trace",
    "load_model": "core.weights.load",
    "list_models": "core.text_models.checkpoints",
    "list_snapshots": "core.text_models.checkpoints",
    "load_history": "core.text_models.checkpoints",
}


def __getattr__(name: str) -> Any:
    # When they are asked for: whoever wants the settings alone does not wait for torch.
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"glassformer.{_PLACES[name]}"), name)


def main() -> None:
    """The command: opens the app, or does what its first word says.

    Options in front are those of the app's server, such as `--server.port 8502`.
    """
    given = sys.argv[1:]
    if given == ["--version"]:
        sys.stdout.write(f"Glassformer {__version__}\n")
    elif not given or given[0].startswith("--server."):
        from streamlit.web import cli as streamlit

        sys.exit(streamlit.main(["run", str(HOME / "serve.py"), *given]))
    else:
        from glassformer.core import cli

        if given[0] in ("--help", "lecture"):  # it draws screens: slow to import, wanted here alone
            from glassformer.app.takeaway.command import take_home

            cli.app.command("lecture")(take_home)
        cli.main()


if __name__ == "__main__":
    main()

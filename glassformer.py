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
    from glassformer.core.analysis.metrics import log_probability, logit, logit_diff
    from glassformer.core.errors import GlassformerError
    from glassformer.core.interventions.steering import scale, set_to, steer
    from glassformer.core.settings import keep_freed_memory
    from glassformer.core.text_models.batches import run_batch
    from glassformer.core.text_models.checkpoints import list_models, list_snapshots, load_history
    from glassformer.core.text_models.generation import Generation
    from glassformer.core.tools import tuned_lens
    from glassformer.core.tools.ablation import ablate
    from glassformer.core.tools.attribution_patching import attribution_patch
    from glassformer.core.tools.attributions import attribute
    from glassformer.core.tools.heads import head_scores
    from glassformer.core.tools.logits import direct_logit_attribution, logit_lens
    from glassformer.core.tools.patching import patch
    from glassformer.core.tools.path_patching import path_patch
    from glassformer.core.tools.probing import probe
    from glassformer.core.tools.sparse_autoencoder import SAE
    from glassformer.core.trace.batch import Batch
    from glassformer.core.trace.tape import Edit, Recorder
    from glassformer.core.trace.trace import Trace
    from glassformer.core.weights.load import load, load_model
    from glassformer.core.weights.wrap import wrap

__version__ = "0.6.0"
__all__ = [
    "SAE",
    "Batch",
    "Edit",
    "Generation",
    "GlassformerError",
    "Recorder",
    "Trace",
    "ablate",
    "attribute",
    "attribution_patch",
    "direct_logit_attribution",
    "head_scores",
    "keep_freed_memory",
    "list_models",
    "list_snapshots",
    "load",
    "load_history",
    "load_model",
    "log_probability",
    "logit",
    "logit_diff",
    "logit_lens",
    "patch",
    "path_patch",
    "probe",
    "run_batch",
    "scale",
    "set_to",
    "steer",
    "tuned_lens",
    "wrap",
]

HOME = Path(__file__).resolve().parent
__path__ = [str(HOME)]
_PLACES = {
    "Edit": "core.trace.tape",
    "Recorder": "core.trace.tape",
    "Trace": "core.trace.trace",
    "Batch": "core.trace.batch",
    "Generation": "core.text_models.generation",
    "GlassformerError": "core.errors",
    "SAE": "core.tools.sparse_autoencoder",
    "ablate": "core.tools.ablation",
    "attribute": "core.tools.attributions",
    "attribution_patch": "core.tools.attribution_patching",
    "direct_logit_attribution": "core.tools.logits",
    "head_scores": "core.tools.heads",
    "keep_freed_memory": "core.settings",
    "list_models": "core.text_models.checkpoints",
    "list_snapshots": "core.text_models.checkpoints",
    "load": "core.weights.load",
    "load_history": "core.text_models.checkpoints",
    "load_model": "core.weights.load",
    "log_probability": "core.analysis.metrics",
    "logit": "core.analysis.metrics",
    "logit_diff": "core.analysis.metrics",
    "logit_lens": "core.tools.logits",
    "patch": "core.tools.patching",
    "path_patch": "core.tools.path_patching",
    "probe": "core.tools.probing",
    "tuned_lens": "core.tools.tuned_lens",
    "run_batch": "core.text_models.batches",
    "scale": "core.interventions.steering",
    "set_to": "core.interventions.steering",
    "steer": "core.interventions.steering",
    "wrap": "core.weights.wrap",
}


def __getattr__(name: str) -> Any:
    # When they are asked for: whoever wants the settings alone does not wait for torch.
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = import_module(f"glassformer.{_PLACES[name]}")
    return getattr(place, name, place)  # `tuned_lens` is the module of that name itself


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
        if given[0] in ("--help", "engine"):
            from glassformer.app.runs.engine.command import start_engine

            cli.app.command("engine")(start_engine)
        cli.main()


if __name__ == "__main__":
    main()

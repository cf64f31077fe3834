"""`glassformer engine`: the engine on this machine, or on the cluster of RAY_ADDRESS."""

import os
import signal
import sys
import threading
from typing import Annotated

import typer

NAME = "glassformer"


def start_engine(
    host: Annotated[str, typer.Option(help="Address that fronts reach it at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of Ray Serve.")] = 8000,
    processors: Annotated[
        int | None, typer.Option(help="For a Ray of its own; those of the machine without.")
    ] = None,
) -> None:
    """Computes runs for the servers whose GLASSFORMER_ENGINE names it, until Ctrl-C."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # What this process imports, the workers can.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    try:
        import ray
        from ray import serve
    except ImportError:
        typer.echo('Glassformer: the engine needs pip install "glassformer[cluster]"', err=True)
        raise typer.Exit(1) from None
    from glassformer.app.runs.engine.serving import serve_deployment

    if "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    else:
        ray.init(num_cpus=processors, include_dashboard=False, log_to_driver=False)
    serve.start(proxy_location="EveryNode", http_options={"host": host, "port": port})
    serve.run(serve_deployment(), name=NAME, route_prefix="/")
    typer.echo(f"Glassformer's engine listens: GLASSFORMER_ENGINE=ray://{host}:{port}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        serve.delete(NAME)
        ray.shutdown()

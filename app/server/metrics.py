"""What Prometheus asks for, at an address of its own, never at the app's.

How many are there, what they wait for, what it takes. Labels name caches, kinds, devices and
versions: nothing that anybody typed.
"""

import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from streamlit import runtime

from glassformer.app.runs.cache import cache_usage
from glassformer.app.runs.turns import LINE, RERUNS
from glassformer.app.server.fronts import BOOT
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings

if TYPE_CHECKING:
    from prometheus_client import Metric

Numbers = dict[tuple[str, ...], float]  # by the values of labels
HALL = {  # of the hall's numbers: those that only grow, and what they are
    "rooms": (False, "Rooms that somebody follows or drives at this server"),
    "followers": (False, "Connections of the audience to this server"),
    "drivers": (False, "Connections of presenters to this server"),
    "votes": (True, "Votes taken in by this server"),
}


def serve_metrics(hall: Callable[[], Mapping[str, int]]) -> None:
    """From now on they are told where `GLASSFORMER_METRICS` says; nothing where it is not set.

    hall: the numbers of `HALL`. Errors: metrics_library, metrics_port.
    """
    if (where := read_settings().metrics) is None:
        return
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
    except ImportError as error:
        raise GlassformerError("metrics_library") from error
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)  # its memory, processor time and open files
    registry.register(_Collector(hall))
    host, port = where
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        problem = error.strerror or str(error)
        raise GlassformerError("metrics_port", given=f"{host}:{port}", problem=problem) from error


class _Collector:
    """Reads the numbers when they are asked for: between two questions nothing is done."""

    def __init__(self, hall: Callable[[], Mapping[str, int]]) -> None:
        self._hall = hall

    def collect(self) -> Iterator["Metric"]:
        """All families."""
        from prometheus_client.core import InfoMetricFamily

        about = {"boot": BOOT, "python": platform.python_version()}
        yield InfoMetricFamily("glassformer_build", "Version and name of this start", about)
        yield from _visitors()
        yield from _reruns()
        yield from _caches()
        yield from _trainings()
        yield from _devices()
        yield from _engine()
        for name, number in self._hall().items():
            grows, told = HALL[name]
            yield _family(f"hall_{name}", told, {(): number}, grows=grows)


def _family(
    name: str, told: str, numbers: Numbers, labels: tuple[str, ...] = (), grows: bool = False
) -> "Metric":
    """A gauge, or a counter: its numbers by the values of its labels."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    kind = CounterMetricFamily if grows else GaugeMetricFamily
    found = kind(f"glassformer_{name}", told, labels=labels)
    for values, number in numbers.items():
        found.add_metric(values, number)
    return found


def _visitors() -> Iterator["Metric"]:
    sessions = []
    if runtime.exists():
        sessions = runtime.get_instance()._session_mgr.list_active_sessions()
    seen = sum(each.script_run_count > 0 for each in sessions)
    yield _family("visitors", "Sessions that are connected and have a page", {(): seen})


def _reruns() -> Iterator["Metric"]:
    from prometheus_client.core import HistogramMetricFamily

    for name, told, held in (
        ("seconds", "From asked for to done, the wait for a turn included", RERUNS.wall),
        ("cpu_seconds", "Processor time of a rerun's own thread", RERUNS.processor),
    ):
        with RERUNS.lock:
            buckets, total = held.cumulative(), held.seconds
        yield HistogramMetricFamily(f"glassformer_rerun_{name}", told, buckets, total)
    yield _family("reruns_waiting", "Reruns that wait for a turn", {(): RERUNS.waiting})
    yield _family("long_work", "Reruns of long work, those that wait for a place too",
                  {(): len(LINE)})  # fmt: skip


def _caches() -> Iterator["Metric"]:
    usage = cache_usage()
    for name, told in (
        ("nbytes", "Bytes held"), ("hits", "Values that were there"), ("misses", "Those made"),
    ):  # fmt: skip
        numbers: Numbers = {(key,): getattr(each, name) for key, each in usage.items()}
        grows = name != "nbytes"
        yield _family(f"cache_{name.removeprefix('n')}", told, numbers, ("cache",), grows)


def _trainings() -> Iterator["Metric"]:
    from glassformer.app.runs.trainings import training_desk  # late: torch comes with it

    desk = training_desk()
    numbers: Numbers = {("running",): desk.active, ("waiting",): desk.waiting}
    yield _family("trainings", "Trainings of visitors", numbers, ("state",))


def _engine() -> Iterator["Metric"]:
    if read_settings().engine:
        from glassformer.app.runs.engine.runner import current_runner  # late: as above

        told = "1: an engine computes runs; 0: this server does, as the engine did not answer"
        yield _family("engine_answers", told, {(): current_runner().trouble is None})


def _devices() -> Iterator["Metric"]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return  # asking would take memory of the device
    numbers: Numbers = {}
    for index in range(torch.cuda.device_count()):
        if held := torch.cuda.memory_reserved(index):
            free, total = torch.cuda.mem_get_info(index)
            used = torch.cuda.memory_allocated(index)
            for kind, size in (("tensors", used), ("kept", held), ("free", free), ("all", total)):
                numbers[f"cuda:{index}", kind] = size
    told = "Bytes of a device: of tensors, kept by this process, free for anybody, all"
    yield _family("device_bytes", told, numbers, ("device", "of"))

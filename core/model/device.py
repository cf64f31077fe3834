"""Where the arithmetic runs, CUDA, else Apple's MPS, else the CPU, and in which numbers.

What needs float64 runs on the CPU on any machine: MPS has none.
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings

Device = str | torch.device | None
Dtype = str | torch.dtype | None
DTYPES = {
    "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16,
    "float64": torch.float64,
}  # fmt: skip
AS_STORED = "auto"
SHARE = 0.7  # of the memory that is free, at most
LEAST_FREE = 8 * 2**30  # bytes that are taken to be free where nobody tells
CPU = torch.device("cpu")


def free_bytes(device: torch.device = CPU) -> int:
    """How much memory a model or a run may take: a share of what is free, where the system tells.

    `LEAST_FREE` where it does not tell.
    """
    if device.type == "cuda":
        return int(SHARE * torch.cuda.mem_get_info(device)[0])
    try:
        told = Path("/proc/meminfo").read_text("ascii")
        free = next(int(line.split()[1]) for line in told.splitlines() if "MemAvailable" in line)
    except (OSError, ValueError, StopIteration):
        return LEAST_FREE
    return int(SHARE * free * 1024)


def choose_device(asked: Device = None) -> torch.device:
    """The best device here; the environment variable GLASSFORMER_DEVICE overrides.

    Args:
        asked: a device by name, such as "cuda:1", which overrides both; None for none.

    Returns:
        The device.

    Raises:
        GlassformerError: `device_missing` for one that was asked for and is not here, `device` for
            one of the variable that this machine does not have, `setting` for one that nobody has.
    """
    if asked is not None:
        try:
            found = torch.empty(0, device=asked).device
        except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
            raise _missing(asked) from error
        if found.type == "meta":
            raise _missing(asked)
        return found
    if wanted := read_settings().device:
        try:
            return torch.empty(0, device=wanted).device
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            raise GlassformerError("device", given=wanted) from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def _missing(asked: Device) -> GlassformerError:
    here = [
        "cpu",
        *(["cuda"] if torch.cuda.is_available() else []),
        *(["mps"] if torch.backends.mps.is_available() else []),
    ]
    return GlassformerError("device_missing", given=asked, allowed=", ".join(here))


def choose_dtype(asked: Dtype = None) -> torch.dtype | None:
    """In which numbers a model computes.

    Args:
        asked: one of `DTYPES`, by name or as torch has it; "auto" for those that are stored; None
            for float32.

    Returns:
        The type; None for "auto".

    Raises:
        GlassformerError: `lab_choice` for any other.
    """
    if asked is None or asked == AS_STORED:
        return None if asked == AS_STORED else torch.float32
    name = str(asked).removeprefix("torch.")
    if name not in DTYPES:
        allowed = ", ".join((*DTYPES, AS_STORED))
        raise GlassformerError("lab_choice", name="dtype", given=asked, allowed=allowed)
    return DTYPES[name]


def move_model(model: nn.Module, device: torch.device, dtype: torch.dtype | None) -> None:
    """Puts a model on a device, in numbers of a type, and tries whether it can compute there.

    Args:
        model: a Transformer; nobody else has it yet.
        device: where it is to run.
        dtype: in which numbers; None leaves them as they are.

    Raises:
        GlassformerError: `dtype_device` where the device lacks an operation for these numbers.
    """
    try:
        model.to(device=device, dtype=dtype)
        kind = next(model.parameters()).dtype
        if kind != torch.float32:
            with torch.no_grad():
                one = torch.zeros(1, 1, dtype=torch.long, device=device)
                model(one, one)
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, TypeError, NotImplementedError) as error:
        values = {"device": device, "dtype": str(dtype or kind).removeprefix("torch.")}
        problem = str(error).splitlines()[0].rstrip(".")
        raise GlassformerError("dtype_device", **values, problem=problem) from error


def in_widest(tensor: Tensor) -> Tensor:
    """The same numbers in the widest type of the device where they lie, and stay.

    So that a sum is made there and only the sum crosses to the CPU: float64; on MPS float32.
    """
    return tensor.detach().to(torch.float32 if tensor.device.type == "mps" else torch.float64)


def to_float64(tensor: Tensor) -> Tensor:
    """The same numbers as float64, on the CPU; cut first what is not needed."""
    return tensor.detach().cpu().double()

"""Grouped heads (Ainslie et al. 2023): several heads of queries share one of keys and values.

The paper has as many of each (H); Llama keeps fewer keys and values (G) while it writes.
"""

from torch import Tensor


def for_each_query(x: Tensor, q: Tensor) -> Tensor:
    """Keys or values (B, G, S, K), each for its H / G heads of q (B, H, T, K): (B, H, S, K)."""
    shared_by = q.size(1) // x.size(1)
    return x if shared_by == 1 else x.repeat_interleave(shared_by, dim=1)

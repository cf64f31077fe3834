"""One thread: on a busy machine several are slower, and these models are small."""

import torch

torch.set_num_threads(1)

"""Experiments: masks, heads, concepts and tensors that are other than in the plain run.

Of the other rooms it imports decoding, model, text, text_models and trace.
"""

from glassformer.core.interventions import concepts, heads, masks, tensors
from glassformer.core.interventions.experiment import Experiment, History, run, setting_of

# Every kind of switch is imported here, so that a link or a file can name it.
__all__ = ["Experiment", "History", "concepts", "heads", "masks", "run", "setting_of", "tensors"]

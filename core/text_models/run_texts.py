"""What `model.run` takes: a text, ids, or a list of either; one gives a run, a list a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from torch import Tensor

from glassformer.core.text_models.batches import BatchSize, Keep, run_batch
from glassformer.core.text_models.given_texts import GivenText, given_texts, ids_of, rows_of
from glassformer.core.text_models.model import Model
from glassformer.core.trace.batch import Batch, PaddingSide
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    from glassformer.core.text_models.given_texts import Texts


class RunsTexts:
    """What every model has: `run`, and what it is in a line."""

    def __repr__(self: Model) -> str:
        weights = tuple(self.transformer.parameters())
        count, kinds = sum(each.numel() for each in weights), {str(each.dtype) for each in weights}
        return f"<{self.name}: {self.kind}, {count:,} weights, {', '.join(kinds)} on {self.device}>"

    @overload
    def run(
        self: Model, text: str, target: Any = None, *, keep: Keep = None,
        edits: Sequence[Edit] = (), grad: bool = False, batch_size: BatchSize = None,
        padding: PaddingSide = "right",
    ) -> Trace: ...  # fmt: skip

    @overload
    def run(
        self: Model, text: Texts, target: Any = None, *, keep: Keep = None,
        edits: Sequence[Edit] = (), grad: bool = False, batch_size: BatchSize = None,
        padding: PaddingSide = "right",
    ) -> Any: ...  # fmt: skip

    def run(
        self: Model, text: Texts, target: Any = None, *, keep: Keep = None,
        edits: Sequence[Edit] = (), grad: bool = False, batch_size: BatchSize = None,
        padding: PaddingSide = "right",
    ) -> Trace | Batch:  # fmt: skip
        """Runs the model on exactly this text, or these: nothing is written after it.

        Args:
            text: one text, or the ids of one (a list of whole numbers, a tensor (S,)); or a list of
                texts or of ids, or a tensor (B, S) of them. In a tensor the padding's id at the end
                or the beginning of a row is no word. Of what a tokenizer of `transformers` gives
                (`input_ids`, `attention_mask`) the mask says so. A translator takes a text for one
                sentence.
            target: what is forced on the decoder: of one text a text or ids, of a list one for
                each or one text for all. None: of a model that continues a text nothing follows
                it; of one that translates greedy decoding writes it, without the edits.
            keep: addresses, or patterns such as `encoder/*/self_attention/weights`, of what stays
                in memory; None keeps all. Where an encoder–decoder has to keep and to edit its
                encoder alone, the decoder does not run, and without a target nothing is written.
            edits: changes made to recorded tensors on the way.
            grad: True keeps the graph, so that the run can be differentiated.
            batch_size: of a list, most texts of one pass; None takes all at once, "auto" as many
                as memory has room for.
            padding: of a list, the end at which short texts are padded.

        Returns:
            The run of one text, without padding; the batch of a list, in its order.

        Raises:
            GlassformerError: `run_nothing` for an empty list, `run_mixed` for one of texts and
                ids, `run_ids` for ids that are no whole numbers, `out_of_range` for one beyond the
                table, `run_targets`, `run_memory` and `run_graph_memory` before more memory is
                spent than there is, `unknown_address` for a pattern that fits none, and as `trace`.
        """
        texts, is_list = given_texts(text, self.config.pad_id)
        goals = _targets(target, len(texts), is_list)
        batch = run_batch(
            self, texts, targets=goals, keep=keep, edits=edits, batch_size=batch_size,
            padding=padding, grad=grad,
        )  # fmt: skip
        return batch if is_list else batch.at(0)


def _targets(given: Any, count: int, is_list: bool) -> list[GivenText | None] | None:
    """A target for each text; one text is the target of all."""
    if given is None:
        return None
    if not is_list or isinstance(given, str):
        return [given if isinstance(given, str) else ids_of(given)] * count
    rows = rows_of(given) if isinstance(given, Tensor) else given
    return [each if each is None or isinstance(each, str) else ids_of(each) for each in rows]

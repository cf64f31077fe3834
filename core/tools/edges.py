"""What goes from one part of a model to another through the residual stream alone, to first order.

A sender (what enters a stack, a head, a feed-forward network) adds to the stream; a receiver (the
queries, keys or values of a head, a feed-forward network, the logits) reads it. The edge between
them is the sender's difference of two runs, carried by the slopes of the norms on the way and by
nothing else, times the metric's gradient by what the receiver reads. The stream is a sum: what all
senders send to a receiver adds up to what its whole input would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from glassformer.core.model.transformer import Transformer
from glassformer.core.tools.patched_places import Place
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.graph import Stack, inputs, layer_count, layer_end, stack_end, sublayers

Tensors = Mapping[str, Tensor]
# The linear maps that read what a sub-layer reads, by the site that they make.
MAPS = {
    "q": "w_q", "k": "w_k", "v": "w_v", "pre_activation": "w_1", "up": "w_3",
}  # fmt: skip


@dataclass
class Sent:
    """What the senders of a stack put into the stream, as it stands after the norms so far.

    differences: (senders, N, positions, D), from the corrupt run to the clean one.
    """

    senders: tuple[Place, ...]
    differences: Tensor


@dataclass
class EdgeWalk:
    """One walk through a model from its first layer to its last; `edges` is what it finds.

    run: of the slopes, and gradients of the metric there. differences: clean − corrupt, by address.
    """

    transformer: Transformer
    run: Batch
    gradients: Tensors
    differences: Tensors
    edges: dict[tuple[Place, Place], Tensor] = field(default_factory=dict)  # each (N,)

    def walk(self) -> dict[tuple[Place, Place], Tensor]:
        """Goes through the stacks; gives the edges, the metric's change along each in each pair."""
        config = self.transformer.config
        memory = self._through_stack("encoder", None) if config.encoder_layers else None
        sent = self._through_stack("decoder", memory) if config.decoder_layers else memory
        assert sent is not None
        last: Stack = "decoder" if config.decoder_layers else "encoder"
        end = stack_end(config, last)
        name = "output/logits" if config.has_generator else end
        self._receive(sent, self.gradients[end][None], [Place(name)])
        return self.edges

    def _through_stack(self, stack: Stack, memory: Sent | None) -> Sent:
        config = self.transformer.config
        start = layer_end(config, stack, -1)
        sent = Sent((Place(start),), self.differences[start][None])
        for layer in range(layer_count(config, stack)):
            for part in sublayers(config, stack):
                place = f"{stack}/{layer}/{part}"
                pre = config.norm_place == "pre"
                self._enter(place, self._after_norm(f"{place}_norm", sent) if pre else sent, memory)
                sent = self._joined(sent, place)
                sent = sent if pre else self._after_norm(f"{place}_norm", sent)
        return self._after_norm(f"{stack}/norm", sent) if config.final_norm else sent

    def _enter(self, place: str, sent: Sent, memory: Sent | None) -> None:
        """The edges into one sub-layer."""
        at = Address.of(f"{place}/output")
        if not at.is_attention:
            read = [
                name for name in ("pre_activation", "up") if f"{place}/{name}" in self.gradients
            ]
            pulled = sum(self._pulled(place, name, 1)[0] for name in read)
            assert isinstance(pulled, Tensor)
            self._receive(sent, pulled[None], [Place(f"{place}_residual/branch_input")])
            return
        config = self.transformer.config.of(place)
        for name, heads in (
            ("q", config.n_heads),
            ("k", config.key_heads),
            ("v", config.key_heads),
        ):
            source = memory if at.is_cross and name != "q" else sent
            assert source is not None
            receivers = [Place(f"{place}/{name}", head) for head in range(heads)]
            self._receive(source, self._pulled(place, name, heads), receivers)

    def _pulled(self, place: str, name: str, heads: int) -> Tensor:
        """The gradient by what a map reads, of each head alone: (heads, N, positions, D)."""
        gradient = self.gradients[
            f"{place}/{name}"
        ]  # (N, heads, positions, K) or (N, positions, F)
        gradient = gradient if gradient.dim() == 4 else gradient[:, None]
        weight = self._linear(place, MAPS[name]).weight
        weight = weight.view(heads, -1, weight.size(1))  # (heads, K, D)
        return torch.einsum("nhtk,hkd->hntd", gradient, weight)

    def _joined(self, sent: Sent, place: str) -> Sent:
        """The stream after a sub-layer, with what it adds."""
        more: tuple[Place, ...]
        if not Address.of(f"{place}/output").is_attention:
            address = f"{place}/output"
            new, more = self.differences[address][None], (Place(address),)
        else:
            context = self.differences[f"{place}/context"]  # (N, H, T, K)
            heads = context.size(1)
            weight = self._linear(place, "w_o").weight
            weight = weight.view(len(weight), heads, -1)  # (D, H, K)
            new = torch.einsum("nhtk,dhk->hntd", context, weight)
            more = tuple(Place(f"{place}/context", head) for head in range(heads))
        return Sent((*sent.senders, *more), torch.cat([sent.differences, new]))

    def _after_norm(self, norm: str, sent: Sent) -> Sent:
        """What a norm makes of small differences: its slope where the run was, times each."""
        before = inputs(self.transformer.config, f"{norm}/normalized")[0]
        module = self.transformer.get_submodule(Address.of(f"{norm}/output").module)
        x = self.run[before].detach()  # (N, positions, D)

        def slope(difference: Tensor) -> Tensor:
            after = torch.func.jvp(module, (x,), (difference,))[1]
            assert isinstance(after, Tensor)
            return after

        return Sent(sent.senders, torch.func.vmap(slope)(sent.differences))

    def _receive(self, sent: Sent, gradient: Tensor, receivers: list[Place]) -> None:
        """The edges from all senders to some receivers; gradient (receivers, N, positions, D)."""
        edges = torch.einsum("sntd,rntd->srn", sent.differences, gradient)
        for sender, row in zip(sent.senders, edges, strict=True):
            for receiver, change in zip(receivers, row, strict=True):
                self.edges[sender, receiver] = change

    def _linear(self, place: str, name: str) -> nn.Linear:
        found = self.transformer.get_submodule(f"{Address.of(f'{place}/output').module}.{name}")
        assert isinstance(found, nn.Linear)
        return found

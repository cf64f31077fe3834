"""What the texts of the screens say in numbers, and what finds out each.

A row of `FACTS` is a pattern of "key: text", in which # is a number, and what computes the numbers
that stand there. `NAMES` are numbers that say nothing of how much, each with its reason.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from typing import Any, get_args

import torch
from torch import nn

from glassformer import load_model
from glassformer.app.frame.frame import SIZES
from glassformer.app.frame.saving import MOST
from glassformer.app.hall import rooms
from glassformer.app.pages.lab.layer_norm.panel import NORMED
from glassformer.app.pages.switch.batch.panel import ROUNDING
from glassformer.app.pages.switch.masks.panel import PRESETS as LOOKS
from glassformer.app.pages.training.workshop.data import example_text
from glassformer.app.pages.training.workshop.form import PRESETS, STEPS
from glassformer.app.pages.vectors.lens.compare import BEST
from glassformer.app.session.state import SPANS, STRATEGIES, State
from glassformer.app.stores.kept_blobs import KEPT_FOR
from glassformer.core.config import MaskFill
from glassformer.core.interventions.concepts import Dropout, Temperature
from glassformer.core.interventions.experiment import REFERENCE
from glassformer.core.lab import norms, why_attention
from glassformer.core.lab.clones import clones
from glassformer.core.lab.depth import WORDS, measure_depth
from glassformer.core.lab.labels import labels
from glassformer.core.lab.mask_building import build_mask
from glassformer.core.lab.norm_axes import NORMS
from glassformer.core.lab.similarity import UNIT
from glassformer.core.lab.skips import PARTS, skips
from glassformer.core.lab.softmax import SHARES, Saturation, measure_scaling
from glassformer.core.model.masks import causal_mask
from glassformer.core.training.queue.lessons import FEWEST_HELD_OUT, HELD_OUT_SHARE
from glassformer.core.training.queue.pairs import FEWEST
from glassformer.core.training.queue.pairs import MOST as MOST_PAIRS
from glassformer.core.training.queue.run_files import BATCH
from glassformer.core.training.queue.training_queue import GRACE
from tests.app import recomputed as of

PAPER: Mapping[str, Any] = {  # "Attention Is All You Need", as torch has it
    name: each.default for name, each in signature(nn.Transformer).parameters.items()
}
LAYERS = len(skips().around) // len(PARTS)
CAUSAL = causal_mask(5)[0, 0]
NUMBER_WORDS = {
    word: float(at)
    for at, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"half": 0.5, "tenth": 0.1, "twice": 2.0, "½": 0.5}
NUMBER = (
    r"(?<![\w.])(?:10⁹|1e9|10⁻⁵|\d+(?:,\d{3})*(?:\.\d+)?(?: ?%| million)?"
    rf"|(?i:{'|'.join([*NUMBER_WORDS][2:])}))(?![\w⁻])"
)
NAMES = (
    r"\{[^}]*\}",  # what the code computes
    r"`[^`]*`|\.transpose\(1, 2\)|x\.size\(1\)|x\.std\(-1, correction=0\)",  # code
    r"§\d(?:\.\d)*|Figure 1|Table 1",  # places of the paper
    r"(?:et al\.|等|Wallace|Zuidema) 20\d\d",  # other papers
    r"about \d min|before 2014|GPT-2|UTF-\d+|layer=2|2-D|32-bit|N\(0, 1\)|\(B, S, 1\)",  # names
    r"\b[nDp] − 1|1 − p|[dK]_?k?/2|D / 2|2i \+ 1|max\(0, x\)|−½ ‖|columns? \d \+ \d and \d \+ \d",
    # How numbers and places are typed, and examples of them.
    r"such as [−\d][−\d., ]*(?:or [−\d.,]+)?|1-8, 12|-8, 12|1,000|4\|6",
    r"≠ 4: four|⚠ 4|1, 2, 3(?:, 4| …)|× 1(?=:)|four printed",
    # Which one: of rows, words, …; a cell of a picture; singular and plural.
    r"(?i:\b(?:row|word|piece|sentence|step|layer|head|column|sample) \d+\b(?: at \d+)?)",
    r"1·1|2·[12]|“1 self”|1 cell|1 number|t = 0 at twelve",
    # Where a range or a scale that the sentence names begins, ends or has its middle.
    r"\b(?:(?:be|has|numbers from|run from|of N|way from)) \d(?= to)",
    r"(?:[Aa]bove|[Bb]elow|[Nn]ear|closest to|furthest from|almost|less than|stop dead at|bend at"
    r"|other than|≈|(?:division|divides|divided) by) [01]\b(?! by)",
    # Two things that the sentence names, asks for, or has side by side; halves of a whole.
    r"(?i:\b(?:the|of|between|these|each|other|than|its|belong to|as|choose|any|at|all"
    r"|make) two\b)",
    r"(?i:\btwo (?=words|inputs|different|places|products|tables|sentences|rows|full|things|it\b"
    r"|runs|experiments|meanings|translations|columns|of|opposite|heads of one|examples|halves))",
    r"(?i:\b(?:the|in two|less than|more than|stands|lower|left) half)",
    r"[Hh]alf of the (?:page|Training)",
    r"Double-click|one word twice|encoder twice|comes twice|和 twice",
    r"two or three (?:times|answers)|scene 1",
    r"[Tt]emperature to 2|To 0\.5|k = 2",  # what a lecturer does: see claims.py
    r"a rank of 2000|three words back|________ is not three times ________",  # large ones
    r"[Tt]wo vectors",
)


def number_in(told: str) -> tuple[float, int]:
    """A number as it is written, and how many decimals it has."""
    exact = {"10⁹": 1e9, "1e9": 1e9, "10⁻⁵": 1e-5} | NUMBER_WORDS
    if told.lower() in exact:
        return exact[told.lower()], {0.5: 1, 0.1: 1, 1e-5: 5}.get(exact[told.lower()], 0)
    digits = told.replace(",", "").removesuffix("%").removesuffix("million").strip()
    decimals = len(digits.partition(".")[2])
    if told.endswith("%"):
        return round(float(digits) / 100, decimals + 2), decimals + 2
    return float(digits) * (1e6 if told.endswith("million") else 1), decimals


FACTS: dict[str, Callable[[], Sequence[float]]] = {
    # Shares, masks, norms, dropout: what a definition says is what our blocks do.
    r"(?:add(?:s|ing)?|added|sum(?:s|ming)?) (?:up )?to (?:exactly )?#": of.row_sum,
    r"(?:sum is|together|full colour is) #": of.row_sum,
    r"−#(?:(?<=10⁹)|(?<=1e9))": of.filled,
    r"(?:weight|gets(?: exactly)?|is exactly|turns into|makes them|others|Weights of|Dark is) #": (
        of.hidden
    ),
    r"(?:words get|e to it is) #": of.hidden,
    r"[Mm]ean #": of.mean,
    r"deviation #|D leaves exactly #": of.deviation,
    r"mean square (?:of )?#": of.root_mean_square,
    r"variance #": of.variance,
    r"(?:becomes?|set(?: it)? to|hands on is|off =) #(?!:)": of.dropped,
    r"numbers become #: ": lambda: torch.tensor([-3.0]).relu().tolist(),
    r"\(M = #\)|\(# is filled\)": lambda: of.looks()[1:],
    r"walk_steps\.mask: M is # where the query may look and # at padding": of.looks,
    r"(?:every M is|hat a|ing of a|ing: A|this word is) #": lambda: of.looks()[:1],
    r"(?:ones_look|masks\.ones_hidden|about_true): #": lambda: of.looks()[:1],
    r"not_padding: # if the key is a word, # if padding": of.looks,
    r"not_future: #|so its weight is #": lambda: CAUSAL[0, :1].float().tolist(),
    r"[Tt]he # ways agree": lambda: [len(get_args(MaskFill))],
    r"rows # to t": lambda: of.seen(CAUSAL[4])[:1],
    r"sees only words # to #": lambda: of.seen(CAUSAL[2]),
    r"may look at words # to #": lambda: of.seen(abs(torch.arange(5) - 1) <= LOOKS["neighbours"]),
    r"place ± #": lambda: [LOOKS["neighbours"]],
    r"divides # by #|it is # ÷ #": lambda: torch.full((2,), -math.inf).exp().tolist(),
    r"lead of # into # times": lambda: [1, math.exp(1)],
    r"away # steps on": of.future,
    r"by # learned|\. # of them make": lambda: of.maps("self_attention", "w_o"),
    r"# linear maps": lambda: of.maps("feed_forward"),
    r"the last # axes": lambda: [(torch.ones(7, 3, 4) @ torch.ones(7, 4, 5)).ndim - 1],
    r", # for each feature": lambda: [
        len(of.LayerNorm(of.ModelConfig(vocabulary_size=1)).state_dict())
    ],
    r"a matrix #\.": lambda: [load_model().transformer.generator.weight.ndim],
    r"mostly #": lambda: [len(load_model().trace("I like you")["source/ids"])],
    # Formulas and the ends of scales.
    r"\(\(# \+ \|Y\|\) / #\)\^α": of.penalty,
    r"of words\. # ____________": lambda: [0],
    r"The paper has #": lambda: [State().alpha],
    r"α = #|α from #": lambda: [0],
    r"__: below #|at most #, rounding": lambda: [ROUNDING],
    r"entropy of a row\. #|[Ii]t is # when all|falls to #|in nats: # is|in nats, # where": of.sure,
    r"# nats are one bit": lambda: [math.log(2)],
    r"\b# is perfect": of.perfect,
    r"cannot fall to #": of.smoothed,
    r"share between # and #": lambda: torch.tensor([-99.0, 99.0]).sigmoid().tolist(),
    r"one between # and # a step": lambda: [0, 1],
    r"\. # and cos #: the same": lambda: [0, of.cosines()[0]],
    r"vectors: # the same direction, # none in common, −# opposite": of.cosines,
    r"blue −#, orange #": lambda: of.cosines()[::2],
    r"ends: # straight there, # not": lambda: of.cosines()[:2],
    r"_ it takes away from it; at # it": lambda: of.cosines()[1:2],
    r"; # is their own length|there: #×": lambda: of.times(1),
    r"itself, #× # times as long": lambda: of.times(3) * 2,
    r"where # of the values": of.coloured,
    r"percent: # \(empty\).*; #, _": lambda: [of.scored(-2), of.scored(3)],
    r"by it; # is attention|\. # leaves the model|T = #": lambda: [Temperature().by],
    r"probabilities, # is greedy": of.greedy,
    r"All # sampled rows": lambda: [len({*STRATEGIES} - {"greedy", "beam"})],
    r"sentence, # ways|by # strategies": lambda: [len(STRATEGIES)],
    r"top_k_help: .*\. # cuts nothing": lambda: [0],
    r"top_p_help: .*\. # cuts nothing": lambda: of.cut(top_p=1.0),
    r"rank_help: # is": lambda: [1],
    r"count from # (?:on screen and in links|in words), from # in": lambda: [1, 0],
    r"(?:which|encoding|table|sions) counts? from #": of.angle,
    r"(?: t|lists,|it,|formulas) count(?:s|ed)?(?: features)? from #": of.angle,
    r"positions, from #": of.angle,
    r"features count from #\. Click|places count from #|: Counted from #": lambda: [1],
    r"an axis of #|neither is #": lambda: [torch.ones(2, 3).mean(-1, keepdim=True).size(-1)],
    r"where one is #": lambda: [torch.ones(1, 3).expand(2, 3).stride(0)],
    r"is widened #:": lambda: [of.maps("feed_forward")[0]],
    r"the score: # where": lambda: [
        float(of.apply_mask(torch.zeros(1, 1, 1, 1), CAUSAL[0, 0], "additive"))
    ],
    r"on # principal": lambda: [2],
    r"angle: # features": lambda: [2],
    r"# of # random": of.by_chance,
    r"multiplies by #|scale_off: × #": lambda: [1],
    r"next reach #": of.highest_wave,
    # The paper's sizes, and the bundled model's.
    r"times: # in the paper": lambda: [PAPER["num_encoder_layers"]],
    r"n_heads\.about: # in the paper": lambda: [PAPER["nhead"]],
    r"d_model\.about: .* # in the paper": lambda: [PAPER["d_model"]],
    r"d_ff\.about: .* # in the paper": lambda: [PAPER["dim_feedforward"]],
    r"√# times larger": lambda: [load_model().config.d_k],
    r"√# times too small": lambda: [load_model().config.d_model],
    # Experiments, as their switches have them.
    r"[Tt]emperature #(?=:? flatter|: tea)": lambda: of.switched("flat", r"\*,([\d.]+)"),
    r"[Tt]emperature #: (?:the weights|sharper)": lambda: of.switched("sharp", r"\*,([\d.]+)"),
    r"A # of the units": lambda: [Dropout().rate],
    r"mean over # plain": lambda: [len(REFERENCE)],
    # Limits and choices.
    r"about # in # of their sentences": of.with_pronouns,
    r"needs # to _": lambda: [2],
    r"More than # numbers": lambda: [MOST],
    r"code of # letters|hint: # letters": lambda: [rooms.CODE],
    r"open for # hours": lambda: [rooms.AWAY / 3600],
    r"# days after": lambda: [KEPT_FOR / 86_400],
    r"words that are said #": lambda: [2],
    r"# minutes after you close": lambda: [GRACE / 60],
    r"From # to #\. At each step the model sees # sentences": lambda: [*STEPS, BATCH],
    r"___: at most #, .* width # .* warm-up of #": of.rates,
    r"At least # pairs, at most #": lambda: [FEWEST, MOST_PAIRS],
    r"A # of the pairs, at least #": lambda: [HELD_OUT_SHARE, FEWEST_HELD_OUT],
    r"with # sentences of the grammar": lambda: [len(example_text().strip().splitlines())],
    r"# heads(?= on pronouns|: as many)": lambda: [PRESETS["eight"]["n_heads"]],
    r"size_help: #–#": lambda: [SIZES[1], SIZES[2] / 100],
    r"span_64: #": lambda: [int(SPANS[1])],
    r"span_256: #": lambda: [int(SPANS[2])],
    r"The # most probable words of each": lambda: [BEST],
    r"framed in all #": lambda: [3],
    r"a step every # seconds": of.pace,
    r"machine-learning: # words and": lambda: [
        len(load_model().trace("我 爱 机器 学习").source_pieces) - 1
    ],
    r"on top, # others": lambda: [of.shown() - 1],
    r"of # pairs of features": lambda: [of.shown()],
    # The Lab: what its benches open on.
    r"norm_axes.name: # norms": lambda: [len(NORMS)],
    r"# layers, # skips": lambda: [LAYERS, LAYERS * len(PARTS)],
    r"after # layers": lambda: [LAYERS],
    r"on # random words": lambda: [WORDS],
    r"# layers: copies, or one object # times": lambda: (
        [signature(clones).parameters["layers"].default] * 2
    ),
    r"for # stacks": lambda: [len(measure_depth(2, 8))],
    r"layer \(#: the input\)": lambda: [0],
    r"means over # random": lambda: [signature(measure_scaling).parameters["queries"].default],
    r"best of # runs": lambda: [why_attention.REPEATS],
    r"about: # untrained layers|for # kinds of layers(?<!four kinds of layers)": lambda: [
        len(why_attention.KINDS)
    ],
    r"for (four) kinds of layers": lambda: [len(why_attention.layers_to_time(16, 3))],
    r": #: # of the cell": lambda: [0, float(torch.zeros(()).sigmoid())],
    r"all of length #": lambda: [float(torch.tensor(UNIT).norm(dim=1).mean())],
    r"# ways found in code": of.broken_ways,
    r"diagonal to #|building\.about_hidden: #": lambda: [0],
    r"ends at ±#": of.notes_encoder,
    r"(?:share_embeddings|tie_attention)_off: #": of.untied,
    r"layer_norm\.one: #": of.deviation,
    r"[Oo]f these # (?:functions )?only .* all #": lambda: [len(SHARES), 3],
    r"Let # be right.* ln # any": lambda: [2, math.exp(labels().softmax.least)],
    r"preset_two: # labels": lambda: [int(labels().true.sum())],
    r"of the # formulas": lambda: [len(norms.layer_norms([[[1.0, 2.0]]]).formulas)],
    r"(?:formulas:|There are) # deviations": lambda: [len(get_args(norms.Deviation))],
    r"___, # times ___": lambda: [NORMED[1][0][0] / NORMED[0][0][0]],
    r"write the word x and a #|multiply\. The # picks": lambda: [1],
    # The notes' worked examples.
    r"-3x4: .*?# × #": lambda: of.size_of("self-attention-3x4", "X"),
    r"-4x4: .*# × #": lambda: of.size_of("softmax-4x4", "scores"),
    r"self-similarity-8d: # words": lambda: of.size_of("self-similarity-8d", "tokens"),
    r"dim-attention: # axes|on # axes": lambda: of.size_of("four-dim-attention", "full_shape"),
    r"words, dₖ = #": lambda: [of.notes_inputs("two-word-weights")["d_k"]],
    r"the scores # and #": lambda: of.notes_inputs("softmax-alternatives")["scores"],
    r"opens, # words of # features": lambda: of.size_of("self-attention-3x4", "X"),
    r"sentences of # words": lambda: of.size_of("shapes-512", "ids")[1:],
    r"opens, # against # would": lambda: of.notes_inputs("two-word-weights")["scores"],
    r"divided by √# = #": lambda: [64, 8],
    r"lacks the #: #\^\(−#/#\) is #, and # is #\^\(−#/#\)": lambda: [
        2,
        10000,
        2,
        4,
        10000 ** (-2 / 4),
        10000 ** (-1 / 4),
        10000,
        1,
        4,
    ],
    r"doubled: # / #\^\(#/#\) is #, and # is # / #\^\(#/#\)": lambda: [
        2,
        10000,
        2,
        4,
        2 / 10000 ** (2 / 4),
        2 / 10000 ** (4 / 4),
        2,
        10000,
        4,
        4,
    ],
    r"second row has # and #, the last one ends in #": lambda: [
        *of.exact("softmax-4x4", "weights")[1, :2].tolist(),
        float(of.exact("softmax-4x4", "weights")[3, 3]),
    ],
    r"the # decimals of X": lambda: [4],
    r"slip: # should be #": of.slip,
    r"notes copy columns # and # alone": lambda: [1, 2],
    r"instead of #, the last": lambda: [0],
    # Lectures.
    r"attention\.title: .* # minutes": lambda: of.minutes("attention"),
    r"decoding\.about: .* # minutes": lambda: of.minutes("decoding"),
    r"average\.about: .* # minutes": lambda: of.minutes("average"),
    r"decoder\.about: .* # minutes": lambda: of.minutes("decoder"),
    r"learning\.about: .* # minutes": lambda: of.minutes("learning"),
    r"heads\.about: .* About # an hour": lambda: [round(2 * of.minutes("heads")[0] / 60) / 2],
    r"About # minutes have gone": lambda: [10 * round(of.minutes("transformer", "memory")[0] / 10)],
    r"word makes # vectors|Point: # tables on": lambda: of.maps("self_attention", "w_o"),
    r"they are #|much of # will": of.row_sum,
    r"a factor of #": lambda: [math.exp(1)],
    r"these # words": lambda: [len("query key value score softmax sum".split())],
    r"probability, less # for the right": lambda: [
        float((one := labels(true=((1, 0, 0, 0),)).softmax).probabilities[0] - one.gradients[0])
    ],
    r"in # lines|the # tables with": lambda: [len(build_mask().lines)],
    r"has # rows": lambda: [len(load_model().trace("我真羡慕你有这么好的朋友。").target_tokens)],
    r"; # of the attention on <pad>": of.hidden,
    r"sampling\.title: # ways": lambda: [len(STRATEGIES)],
    r"keeps # beginnings": lambda: [State().beams],
    r"all # heads of the encoder": lambda: [
        load_model("translator-plain").config.n_heads
        * load_model("translator-plain").config.encoder_layers
    ],
    r"more than a #\.": of.looks_at_most,
    r"# layers in each stack; the paper has #": lambda: [
        load_model().config.encoder_layers,
        PAPER["num_encoder_layers"],
    ],
    r"option 0: Fewer than #": lambda: of.bounds()[:1],
    r"option 1: # to": lambda: of.bounds()[:1],
    r"option 2: ____+ to #|option 3: More than #": lambda: of.bounds()[2:],
    r"between −# and #": lambda: of.highest_wave() * 2,
    r"The # heads lie": lambda: [load_model().config.n_heads],
    r"# as long, # times the cells": lambda: [2, torch.ones(2, 2).numel()],
    r": # curves": lambda: [len(fields(Saturation))],
    r"spread #": of.deviation,
    r"# thirds of the weights": of.thirds,
    r"Say: # sentences to write": lambda: [of.sentences_to_write()],
}

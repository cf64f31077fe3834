"""What lies in a model's folder and is not run here, so that it can be said."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassformer.core.untrusted import UNREADABLE, read_json_file
from glassformer.core.weights.read import file_inside

# Settings of generation that do not act here, and the values with which they act nowhere.
NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "repetition_penalty": (1.0,), "encoder_repetition_penalty": (1.0,),
    "no_repeat_ngram_size": (0,), "encoder_no_repeat_ngram_size": (0,), "min_length": (0,),
    "min_new_tokens": (0,), "num_beams": (1,), "do_sample": (False,), "penalty_alpha": (0.0,),
    "begin_suppress_tokens": ([],), "exponential_decay_length_penalty": (), "sequence_bias": (),
    "forced_decoder_ids": ([],), "diversity_penalty": (0.0,), "num_beam_groups": (1,),
    "stop_strings": ([], ""), "guidance_scale": (1.0,), "token_healing": (False,),
    "watermarking_config": (), "dola_layers": (), "constraints": ([],), "force_words_ids": ([],),
}  # fmt: skip


@dataclass(frozen=True)
class LeftAside:
    """What a folder holds beside what is run; nothing of it is dropped in silence.

    heads: what the model was trained to answer with instead of words, or besides: names of
    `core.weights.family.HEADS`. settings: how it should write by its generation_config.json, as far
    as that does not act here, such as `repetition_penalty=1.2`. no_head: nothing in the folder
    scores words; the table of words that are read does, which nobody trained for it.
    """

    heads: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    no_head: bool = False

    def __str__(self) -> str:
        said = []
        if self.heads:
            said.append(f"left aside: {', '.join(self.heads)}")
        if self.settings:
            said.append(f"not applied: {', '.join(self.settings)}")
        if self.no_head:
            said.append("no tensor scores words: the table of words does, untrained for it")
        return "; ".join(said)


def generation_of(folder: Path) -> dict[str, Any]:
    """What generation_config.json says.

    Args:
        folder: of the model.

    Returns:
        Its settings by name, without those that are null; {} where there is none that can be read.
    """
    try:
        found = read_json_file(file_inside(folder, "generation_config.json"))
    except UNREADABLE:
        return {}
    return {name: each for name, each in found.items() if each is not None}


def not_applied(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings of generation that would act and do not act here.

    Args:
        settings: of generation_config.json, by name.

    Returns:
        Those of `NEUTRAL` that would act, with their values where these are numbers, true or false;
        "bad_words_ids" where it forbids words of several pieces, too.
    """
    acting = [
        f"{name}={settings[name]}" if isinstance(settings[name], int | float) else name
        for name, neutral in NEUTRAL.items()
        if settings.get(name) is not None and settings[name] not in neutral
    ]
    bad = settings.get("bad_words_ids")
    several = isinstance(bad, list) and any(
        isinstance(each, list) and len(each) > 1 for each in bad
    )
    return (*acting, *(["bad_words_ids"] if several else []))


def never_written(settings: Mapping[str, Any]) -> frozenset[int]:
    """The ids that a model may not write by its own settings.

    Args:
        settings: of generation_config.json, or of config.json.

    Returns:
        The ids in suppress_tokens, and the words of one piece in bad_words_ids.
    """
    bad, more = (settings.get(name) for name in ("bad_words_ids", "suppress_tokens"))
    alone = [each for each in bad if isinstance(each, list)] if isinstance(bad, list) else []
    ids = [each[0] for each in alone if len(each) == 1] + (more if isinstance(more, list) else [])
    return frozenset(each for each in ids if isinstance(each, int))

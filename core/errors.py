"""What can be refused, each with what was given, what is allowed and what to do.

A `GlassformerError` carries a key and values, so that the app can say the same in the reader's
language (words key `errors.<key>`); as a string it is the English sentence.
"""

from __future__ import annotations

MESSAGES = {
    # a text
    "empty_text": "The text is empty. Type a sentence in English or Chinese.",
    "too_long": "The text has {given} words; at most {limit} are allowed. Shorten it to one "
    "sentence.",
    "too_many_sentences": "The text has {given} sentences; at most {limit} are translated at once. "
    "Leave some out.",
    "too_many_words": "The {sentences} sentences have {given} words together; at most {limit} are "
    "translated at once. Leave some out.",
    "no_words": "There is no word in “{text}”. Type a sentence in English or Chinese.",
    "unknown_language": "“{given}” is not a language of this model; it knows {allowed}. Choose one "
    "of them.",
    "unknown_script": "“{text}” is not written in English or Chinese, the languages of this model. "
    "Type the sentence in one of them.",
    "other_language": "“{text}” seems to be {language}; this model knows English and Chinese. Type "
    "the sentence in one of them.",
    # the grammar and training
    "grammar": "The grammar in {file} is not right: {problem}.",
    "training": "Training cannot start: {problem}.",
    "no_room": "The server's disk has no room for this training ({problem}). Take away what you no "
    "longer need, or try again later.",
    # a model
    "config": "This model cannot be built: {problem}.",
    "checkpoint_missing": "There is no model at {path}. Train one with `make train`, or name a "
    "folder that holds config.json, vocabulary.json and model.safetensors.",
    "checkpoint_damaged": "The model at {path} cannot be read: {problem}. Restore the folder from "
    "its source, or train it again with `make train`.",
    "checkpoint_mismatch": "The weights at {path} belong to another config: {problem}. Keep "
    "config.json and model.safetensors of the same training run together.",
    "snapshot_missing": "The model {path} has no snapshot of step {step}; it has {steps}. Choose "
    "one of them.",
    "setting": "{name}={given} cannot be; allowed are {allowed}. Change the variable, or unset it.",
    "device": "GLASSFORMER_DEVICE={given} is not available here. Use cpu, cuda or mps, or unset "
    "it.",
    "direction": "{given} is not a direction. Use en-zh or zh-en, or leave it out.",
    # something that takes long
    "stopped": "Stopped before it was done.",
    # a trace
    "trace_damaged": "{path} is not a readable trace: {problem}. Save the run again, or choose "
    "another file.",
    "trace_foreign": "{path} was not written by Glassformer. Choose a file saved with Trace.save.",
    "trace_newer": "{path} was written by a newer Glassformer (format {found}; this one reads up "
    "to {known}). Update, or save it again with this version.",
    # a file to open
    "file_foreign": "This file is no run, experiment or model of Glassformer. Choose one that was "
    "saved with it.",
    "file_damaged": "This file cannot be read: it was cut off or changed. Save it again, or choose "
    "another one.",
    "file_large": "This file takes {given}; at most {limit} are allowed. Choose a smaller one.",
    "file_newer": "This file was written by a newer Glassformer (format {found}; this one reads up "
    "to {known}). Update, or save it again with this version.",
    "too_many_kept": "The server can keep no further model at this moment. Download it: the "
    "file holds all of it.",
    "file_no_room": "As many visitors keep models here as may. Open it again later.",
    "file_model": "This needs the model that made the run; on screen is its file alone. Translate "
    "the sentence here, or leave the file.",
    "unknown_address": "Nothing is recorded at {address}. Nearest: {nearest}.",
    "unknown_axis": "{address} has no axis {axis}; it has {axes}.",
    "out_of_range": "{name} {given} does not exist; it may be 0 to {last}.",
    # an input of the Lab
    "lab_number": "{name} holds “{given}”, which is not a number. Type digits, such as 1.5 or −2.",
    "lab_range": "{name} is {given}; it may be {low} to {high}. Choose a number between them.",
    "lab_whole": "{name} is {given}; it must be a whole number from {low} to {high}.",
    "lab_empty": "{name} is empty. Give at least one number.",
    "lab_lengths": "The rows of {name} hold {given} numbers. Give every row as many as the others.",
    "lab_shape": "{name} is {given}; it must be {needed}. Change it, or what it has to fit.",
    "lab_large": "The size of {name} is {given}; at most {limit} is allowed. Make it smaller.",
    "lab_choice": "{name} cannot be {given}; it may be {allowed}. Choose one of them.",
    "trail_cell": "{given} does not name one number of {address}, which has {axes}. Give one index "
    "for each of them.",
    "trail_model": "This run was made by {name}, a model of another config. Give the model that "
    "made it.",
    # a way to decode
    "decoding_range": "{name} is {given}; it may be {low} to {high}. Choose a number between them.",
    "decoding_rule": "“{given}” is no rule of the beam search; it may be {allowed}.",
    # an edit
    "edit_unmatched": "The edit at {address} matched nothing in this run. Nearest: {nearest}.",
    "edit_changes_kind": "The edit at {address} must keep {was}, but gave {now}.",
    "experiment_kind": "“{given}” is no switch that this version knows.",
    "experiment_value": "The switch {kind} cannot have {name} = {given}. Choose another value.",
    "experiment_damaged": "This is not a readable experiment: {problem}. Save or copy it again.",
    "experiment_newer": "The experiment was written by a newer Glassformer (format {found}; this "
    "one reads up to {known}). Update, or save it again with this version.",
    "experiment_model": "The experiment was made on {made_on} with other weights than {given}. "
    "Choose the model that it was made on.",
    "mask_cells_outside": "The cell {row}, {column} painted at {address} lies outside this "
    "sentence's {rows} × {columns}. Paint the mask again, or go back to the longer sentence.",
    "reference_unreadable": "This model can read none of the reference sentences, so its heads "
    "have no mean. Set them to zero instead.",
    "patch_shape": "{axis} of {address}: {given} cells of the other sentence cannot fill {needed}. "
    "Name as many in both.",
    "sweep_lengths": "The other sentence has {given} words, this one {needed}. Choose two of the "
    "same length.",
    "sweep_same": "After “{text}” and after the other sentence the model writes the same word "
    "here. Choose another word, or another sentence.",
    "ripple_models": "The runs cannot be compared: {axis} is {before} in one and {after} in the "
    "other. Choose two runs of one model.",
}


class GlassformerError(ValueError):
    """Something the reader gave cannot be used; `key` and `values` say why in any language."""

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = {name: _sendable(value) for name, value in values.items()}
        super().__init__(MESSAGES[key].format(**self.values))


def _sendable(value: object) -> object:
    """The value without halves of characters, which a file's escapes may hold and no page shows."""
    text = str(value)
    sent = text.encode("utf-8", "replace").decode()
    return value if sent == text else sent

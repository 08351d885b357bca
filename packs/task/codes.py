"""Every code a problem of a task pack can have, with one line on what it means.

The editor and the help pages use the table; a test holds it complete. The codes of the conformance files
(`task/pack_validation.json`) are spelled as there.
"""

from __future__ import annotations

from collections.abc import Mapping

ERRORS: Mapping[str, str] = {
    "unreadable": "task.yaml is not there or cannot be read.",
    "not_utf8": "A file is not saved as UTF-8.",
    "too_large": "A file or folder is larger than what is read.",
    "yaml_syntax": "task.yaml is not readable as YAML.",
    "not_mapping": "task.yaml does not consist of fields with values.",
    "text_required": "A field needs a text that is not blank.",
    "unknown_scorer": "There is no scorer of this name.",
    "mapping_required": "A field needs a mapping of names to values.",
    "list_required": "A field needs a list.",
    "boolean_required": "A field needs true or false.",
    "number_required": "A field needs a number.",
    "integer_required": "A field needs a whole number.",
    "below_one": "A number must be 1 or more.",
    "negative": "A number must be 0 or more.",
    "not_finite": "A value is infinite or not a number.",
    "out_of_range": "A number is outside of its range.",
    "unknown_answer": "generation.answer is neither free nor constrained.",
    "path_outside": "A path leads out of the pack folder.",
    "prompt_unreadable": "The prompt file is not there or cannot be read.",
    "no_placeholder": "The prompt has no place for the input.",
    "schema_unreadable": "A schema file is not there or is not JSON.",
    "schema_not_object": "A schema file does not hold a JSON object.",
    "examples_unreadable": "The folder of the examples is not there or cannot be read.",
    "no_examples": "The folder of the examples holds no example.",
    "bad_file_name": "The name of an example file cannot be written as text.",
    "json_syntax": "An example file is not JSON.",
    "duplicate_key": "A JSON object names a key twice.",
    "not_object": "An example file does not hold a JSON object.",
    "placeholder": "An example is still the stand-in that a new pack begins with.",
    "input_required": "An example needs an input text that is not blank.",
    "expected_missing": "An example has no expected value.",
    "broken_character": "A text holds half of a character.",
    "param": "A parameter of a scorer cannot be used.",
    "expected_unfit": "An expected value does not suit the scorer or a gate.",
    "too_many_problems": "There are more problems than are listed.",
}

WARNINGS: Mapping[str, str] = {
    "number_too_large": "A number is larger than what engines take.",
    "unknown_key": "A key is not known and has no effect.",
    "unknown_param": "A scorer does not know this parameter; it has no effect.",
    "few_examples": "There are fewer than 20 examples; results say little.",
    "example_ignored": "A file looks like an example but is not read.",
    "duplicate_input": "Two examples have the same input.",
    "near_duplicate_input": "Two inputs differ only in case, blanks, punctuation or digits.",
    "answer_in_prompt": "The prompt contains the expected answer of an example.",
    "contradicting_input": "Two examples have the same input and different expected values.",
    "expected_lacks_field": "An expected object lacks a key field; this example can never pass.",
    "compared_as_number": "A code made of digits is compared as a number.",
    "ambiguous_number": "An expected text can be read as two different numbers.",
    "labels_look_alike": "Two labels differ only by signs that cannot be seen.",
    "inexact_multiple_of": "multipleOf is a decimal fraction, which a computer's numbers do not hold exactly.",
    "labels_collapse": "Two labels are the same to the scorer.",
    "label_blank": "A label is blank; an empty answer would count as right.",
    "alias_shadows_label": "An alias is spelled like a label and takes its place.",
    "label_not_in_prompt": "The prompt never names a label.",
    "label_unused": "No example expects this label.",
    "labels_lopsided": "Nearly all examples expect the same label.",
    "placeholder_like": "Something in the prompt looks like the place for the input but is sent as it stands.",
    "input_too_long": "An input does not seem to fit the context.",
    "no_room_for_input": "max_tokens leaves no room for the prompt in the context.",
    "answer_too_long": "The expected answer is longer than max_tokens allows.",
    "slow_pattern": "A regular expression is slow on some texts and may run out of time.",
    "slow_schema": "A schema needs a great deal of work on small answers; an answer may get no score.",
    "not_reviewed": "A model drafted this pack and nobody has marked it as reviewed.",
}

CODES: Mapping[str, str] = {**ERRORS, **WARNINGS}

"""The loader: every problem in one pass, warnings, bounds, hostile input."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import packs.task
from packs.documents.problems import Problem, Severity
from packs.task.codes import CODES, ERRORS
from packs.task.loader import load_pack, load_pack_from_files
from packs.task.model import LoadedPack, TaskPack

MANIFEST = """\
name: parcel-sorting
type: classification
scorer: exact-label
scorer_params:
  labels: [letter, parcel]
generation:
  context: 2048
  max_tokens: 12
  temperature: 0
  seed: 7
  runs_per_example: 1
prompt_template: ./prompt.md
examples_dir: ./examples
"""
PROMPT = "Is it a letter or a parcel?\n\n{{input}}\n"


def example(number: int, expected: object = None, text: str | None = None) -> bytes:
    value = expected if expected is not None else ("letter", "parcel")[number % 2]
    return json.dumps({"input": text or f"item {number}", "expected": value}).encode()


def files(
    manifest: str = MANIFEST, prompt: str | None = PROMPT, count: int = 20, **more: str | bytes
) -> dict[str, bytes]:
    content: dict[str, bytes] = {"task.yaml": manifest.encode()}
    if prompt is not None:
        content["prompt.md"] = prompt.encode()
    content.update({f"examples/{number:03}.json": example(number) for number in range(count)})
    for path, value in more.items():
        content[path] = value.encode() if isinstance(value, str) else value
    return content


def load(content: dict[str, bytes]) -> LoadedPack:
    loaded = load_pack_from_files(content)
    assert {problem.code for problem in loaded.problems} <= set(CODES)
    return loaded


def codes(loaded: LoadedPack) -> set[str]:
    return {problem.code for problem in loaded.problems}


def only(loaded: LoadedPack, code: str) -> Problem:
    found = [problem for problem in loaded.problems if problem.code == code]
    assert len(found) == 1, [(problem.code, problem.message) for problem in loaded.problems]
    return found[0]


def on_disk(folder: Path, content: dict[str, bytes]) -> Path:
    for path, data in content.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def test_that_a_sound_pack_has_no_problem_at_all() -> None:
    loaded = load(files())
    assert loaded.problems == ()
    assert loaded.pack is not None
    assert (loaded.pack.name, len(loaded.pack.examples)) == ("parcel-sorting", 20)


def test_that_a_pack_comes_back_whole_from_its_snapshot() -> None:
    pack = load(files()).pack
    assert pack is not None
    again = TaskPack.from_snapshot(json.loads(json.dumps(pack.snapshot())))
    assert again.snapshot() == pack.snapshot()
    assert again.rendered(again.examples[3]) == "Is it a letter or a parcel?\n\nitem 3\n"


def test_that_all_stages_are_told_in_one_pass() -> None:
    manifest = MANIFEST.replace("seed: 7", "seed: x").replace("labels: [letter, parcel]", "labels: []")
    loaded = load(files(manifest, prompt="no place", **{"examples/000.json": b"{"}))
    assert {"number_required", "param", "no_placeholder", "json_syntax"} <= codes(loaded)


def test_that_every_code_in_the_source_is_in_the_table_and_every_entry_is_used() -> None:
    folder = Path(packs.task.__file__).parent
    literals: set[str] = set()
    for file in folder.rglob("*.py"):
        if file.name != "codes.py":
            tree = ast.parse(file.read_text(encoding="utf-8"))
            literals |= {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    assert set(CODES) <= literals
    assert all(text.endswith(".") for text in CODES.values())


def test_that_problems_in_yaml_have_line_and_column() -> None:
    loaded = load(files(MANIFEST.replace("max_tokens: 12", "max_tokens: twelve")))
    problem = only(loaded, "number_required")
    assert (problem.file, problem.subject, problem.line, problem.column) == (
        "task.yaml", "generation.max_tokens", 8, 15,
    )  # fmt: skip


def test_that_an_absent_field_is_named_itself_and_points_to_its_parent() -> None:
    problem = only(load(files(MANIFEST.replace("  seed: 7\n", ""))), "number_required")
    assert (problem.subject, problem.line) == ("generation.seed", 6)


def test_that_a_problem_in_json_has_line_and_column() -> None:
    loaded = load(files(**{"examples/003.json": '{\n  "input": "x",\n  "expected": "lettre"\n}'}))
    problem = only(loaded, "expected_unfit")
    assert (problem.file, problem.line, problem.column) == ("examples/003.json", 3, 15)


def test_that_three_examples_with_the_same_wrong_label_are_three_problems() -> None:
    wrong = {f"examples/{number:03}.json": example(number, "lettre") for number in (1, 2, 3)}
    loaded = load(files(**wrong))
    assert [problem.file for problem in loaded.problems if problem.code == "expected_unfit"] == list(wrong)


def test_that_a_bad_parameter_is_blamed_on_the_manifest() -> None:
    problem = only(load(files(MANIFEST.replace("[letter, parcel]", "[letter, 7]"))), "param")
    assert (problem.file, problem.subject) == ("task.yaml", "scorer_params.labels[1]")
    assert '"7"' in problem.fix


# What the other tool does worse ----------


def test_that_a_byte_order_mark_is_stripped_everywhere() -> None:
    bom = b"\xef\xbb\xbf"
    content = {path: bom + data for path, data in files().items()}
    loaded = load(content)
    assert loaded.problems == ()
    assert loaded.pack is not None
    assert loaded.pack.prompt == PROMPT


@pytest.mark.parametrize("path", ["task.yaml", "prompt.md", "examples/002.json"])
def test_that_a_file_in_another_encoding_is_refused_and_the_encoding_named(path: str) -> None:
    content = files()
    content[path] = (
        content[path]
        .replace(b"item", b"caf\xe9")
        .replace(b"letter", b"l\xe9tter")
        .replace(b"name: p", b"name: \xe9")
    )
    problem = only(load(content), "not_utf8")
    assert problem.file == path
    assert "Windows-1252" in problem.message


def test_that_utf_16_is_named_with_and_without_its_mark() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        content = files(**{"examples/003.json": example(3).decode().encode(encoding)})
        assert "UTF-16" in only(load(content), "json_syntax").message


def test_that_a_schema_of_the_current_dialect_is_accepted() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "number"}]}
    manifest = MANIFEST.replace("exact-label", "json-schema").replace(
        "  labels: [letter, parcel]", "  schema: ./s.json"
    )
    loaded = load(files(manifest, **{"s.json": json.dumps(schema)}))
    assert loaded.problems == ()


def test_that_a_backslash_separates_folders_on_every_system() -> None:
    manifest = MANIFEST.replace("./prompt.md", r".\texts\prompt.md")
    content = files(manifest, prompt=None, **{"texts/prompt.md": PROMPT})
    assert load(content).problems == ()


def test_that_a_key_that_stands_twice_in_an_example_is_refused_with_its_place() -> None:
    loaded = load(files(**{"examples/003.json": '{"input":"x","expected":"letter",\n "input":"y"}'}))
    problem = only(loaded, "duplicate_key")
    assert (problem.subject, problem.line) == ("input", 2)


@pytest.mark.parametrize(
    "path", ["../prompt.md", "/etc/hostname", "a/../../prompt.md", "C:\\x.md", "..\\prompt.md"]
)
def test_that_a_path_out_of_the_pack_is_refused(path: str, tmp_path: Path) -> None:
    on_disk(tmp_path, {"prompt.md": PROMPT.encode()})
    folder = on_disk(tmp_path / "pack", files(MANIFEST.replace("./prompt.md", path)))
    problem = only(load_pack(folder), "path_outside")
    assert (problem.file, problem.subject, problem.line) == ("task.yaml", "prompt_template", 12)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("link", ["prompt.md", "examples", "examples/003.json"])
def test_that_a_link_out_of_the_pack_is_refused(link: str, tmp_path: Path) -> None:
    secret = on_disk(tmp_path / "secret", {"prompt.md": PROMPT.encode(), "003.json": example(3)})
    folder = on_disk(tmp_path / "pack", files())
    target = folder / link
    if target.is_dir():
        target.rename(folder / "moved")
        target.symlink_to(secret, target_is_directory=True)
    else:
        target.unlink()
        target.symlink_to(secret / Path(link).name)
    assert "path_outside" in codes(load_pack(folder)) or "examples_unreadable" in codes(load_pack(folder))
    assert load_pack(folder).pack is None


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_that_a_link_inside_the_pack_is_fine(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "pack", files(prompt=None, **{"texts/p.md": PROMPT}))
    (folder / "prompt.md").symlink_to(folder / "texts" / "p.md")
    assert load_pack(folder).problems == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_that_a_pipe_is_not_opened(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "pack", files())
    os.mkfifo(folder / "examples" / "zz.json")
    assert only(load_pack(folder), "json_syntax").file == "examples/zz.json"


# Warnings ----------


def warn(loaded: LoadedPack, code: str) -> Problem:
    problem = only(loaded, code)
    assert problem.severity is Severity.WARNING
    assert loaded.valid
    return problem


def test_that_a_misspelt_key_is_told_with_the_one_meant() -> None:
    problem = warn(load(files(MANIFEST + "gate: []\n")), "unknown_key")
    assert "'gates'" in problem.message
    assert problem.line == 14


def test_that_a_misspelt_parameter_is_told_with_the_one_meant() -> None:
    manifest = MANIFEST.replace("generation:", "  alias: {}\ngeneration:")
    assert "'aliases'" in warn(load(files(manifest)), "unknown_param").message


def test_that_few_examples_are_told() -> None:
    assert "19 examples" in warn(load(files(count=19)), "few_examples").message


def test_that_equal_inputs_are_told_and_contradicting_ones_apart() -> None:
    loaded = load(
        files(**{"examples/001.json": example(0), "examples/003.json": example(2, "parcel", "item 2")})
    )
    assert warn(loaded, "duplicate_input").file == "examples/001.json"
    assert warn(loaded, "contradicting_input").file == "examples/003.json"


def test_that_an_expected_object_without_a_key_field_is_told() -> None:
    manifest = MANIFEST.replace("exact-label", "field-f1").replace(
        "labels: [letter, parcel]", "key_fields: [a, b]"
    )
    content = files(manifest)
    content.update({f"examples/{n:03}.json": example(n, {"a": 1, "b": 2}) for n in range(20)})
    content["examples/004.json"] = example(4, {"a": 1})
    assert "'b'" in warn(load(content), "expected_lacks_field").message


@pytest.mark.parametrize(("code", "other"), [("00731", "'731'"), ("90071992547409931", "'9007199254740993")])
def test_that_a_code_compared_as_a_number_is_told(code: str, other: str) -> None:
    manifest = MANIFEST.replace("exact-label", "field-f1").replace(
        "labels: [letter, parcel]", "key_fields: [a]"
    )
    content = files(manifest)
    content.update({f"examples/{n:03}.json": example(n, {"a": "x731"}) for n in range(20)})
    content["examples/004.json"] = example(4, {"a": code})
    problem = warn(load(content), "compared_as_number")
    assert problem.subject == "expected.a"
    assert other in problem.message


@pytest.mark.parametrize(
    ("text", "read", "meant"),
    [
        ("1.234", "1.234", "1234"),
        ("0,075", "75", "0.075"),
        ("1,234", "1234", "1.234"),
        ("€ 12.500", "12.5", "12500"),
        (["x", "0,075"], "75", "0.075"),
        ("0.075", None, None),
        ("1,234,567", None, None),
        ("1234", None, None),
        ("1,234.50", None, None),
        (1.234, None, None),
        ("v1.234", None, None),
    ],
)
def test_that_an_expected_text_that_can_be_two_numbers_is_told(
    text: object, read: str | None, meant: str | None
) -> None:
    manifest = MANIFEST.replace("exact-label", "field-f1").replace(
        "labels: [letter, parcel]", "key_fields: [a]"
    )
    content = files(manifest)
    content.update({f"examples/{n:03}.json": example(n, {"a": "x731"}) for n in range(20)})
    content["examples/004.json"] = example(4, {"a": text})
    loaded = load(content)
    if read is None:
        assert "ambiguous_number" not in [problem.code for problem in loaded.problems]
        return
    problem = warn(loaded, "ambiguous_number")
    assert problem.subject == "expected.a"
    assert f"is read as {read};" in problem.message
    assert f"meant as {meant}." in problem.message


@pytest.mark.parametrize("sign", ["\u200e", "\u200d", "\u200b", "\u2066", "\ufe0f", "\u00ad"])
def test_that_labels_that_differ_only_by_unseen_signs_are_told(sign: str) -> None:
    manifest = MANIFEST.replace("[letter, parcel]", f'[letter, parcel, "let\\u{ord(sign):04x}ter"]')
    problem = warn(load(files(manifest)), "labels_look_alike")
    assert problem.subject == "scorer_params.labels[2]"
    assert f"U+{ord(sign):04X}" in problem.message


@pytest.mark.parametrize(
    ("step", "told"),
    [("0.01", True), ("0.1", True), ("1e-3", True), ("0.25", False), ("5", False), ("2.0", False)],
)
def test_that_a_multiple_of_that_no_number_of_a_computer_holds_is_told(step: str, told: bool) -> None:
    manifest = MANIFEST.replace("exact-label", "json-schema").replace(
        "labels: [letter, parcel]", "schema: ./s.json"
    )
    content = files(manifest)
    content["s.json"] = f'{{"properties": {{"a": {{"items": [{{"multipleOf": {step}}}]}}}}}}'.encode()
    codes = [problem.code for problem in load(content).problems]
    assert ("inexact_multiple_of" in codes) is told


def test_that_labels_that_are_the_same_to_the_scorer_are_told() -> None:
    loaded = load(files(MANIFEST.replace("[letter, parcel]", "[letter, parcel, Parcel]")))
    assert warn(loaded, "labels_collapse").subject == "scorer_params.labels[2]"


def test_that_an_alias_spelled_like_a_label_is_told() -> None:
    manifest = MANIFEST.replace("generation:", "  aliases: {parcel: letter}\ngeneration:")
    assert warn(load(files(manifest)), "alias_shadows_label").line == 6


def test_that_a_label_the_prompt_never_names_is_told() -> None:
    loaded = load(files(prompt="Is it a letter?\n{{input}}"))
    assert "'parcel'" in warn(loaded, "label_not_in_prompt").message


def test_that_a_label_no_example_expects_is_told() -> None:
    loaded = load(files(MANIFEST.replace("parcel]", "parcel, pallet]"), prompt=PROMPT + "pallet"))
    assert "'pallet'" in warn(loaded, "label_unused").message


def test_that_one_label_for_nearly_all_examples_is_told() -> None:
    content = files()
    content.update({f"examples/{number:03}.json": example(number, "letter") for number in range(18)})
    assert "19 of 20" in warn(load(content), "labels_lopsided").message


def test_that_an_input_that_cannot_fit_the_context_is_told() -> None:
    loaded = load(files(**{"examples/003.json": example(3, text="word " * 3000)}))
    assert warn(loaded, "input_too_long").file == "examples/003.json"


def test_that_no_room_for_the_prompt_is_told() -> None:
    assert warn(load(files(MANIFEST.replace("context: 2048", "context: 12"))), "no_room_for_input")


def test_that_an_expected_answer_longer_than_the_limit_is_told() -> None:
    manifest = MANIFEST.replace("exact-label", "field-f1").replace(
        "labels: [letter, parcel]", "key_fields: [a]"
    )
    content = files(manifest)
    content.update(
        {f"examples/{n:03}.json": example(n, {"a": "x" * (200 if n == 5 else 3)}) for n in range(20)}
    )
    assert warn(load(content), "answer_too_long").file == "examples/005.json"


def test_that_something_like_the_placeholder_is_told_beside_a_real_one() -> None:
    problem = warn(load(files(prompt=PROMPT + "\n{{ Input }}\n")), "placeholder_like")
    assert problem.line == 5


def test_that_a_missing_placeholder_is_told_with_what_is_there_instead() -> None:
    loaded = load(files(prompt="letter or parcel\n{{ Input }}"))
    problem = only(loaded, "no_placeholder")
    assert "{{ Input }}" in problem.message
    assert problem.line == 2


def test_that_a_slow_expression_is_told() -> None:
    manifest = MANIFEST.replace("exact-label", "pattern").replace(
        "labels: [letter, parcel]", "patterns: ['^(?:a|a)+$', 'fine']\n  mode: regex"
    )
    problem = warn(load(files(manifest)), "slow_pattern")
    assert problem.subject == "scorer_params.patterns[0]"


def test_that_a_draft_nobody_has_reviewed_is_told() -> None:
    manifest = MANIFEST + (
        "provenance:\n  source: notes.md\n  source_sha256: ab\n  drafted_by: m\n  drafted_at: '2026-11-30'\n"
    )
    assert warn(load(files(manifest)), "not_reviewed")


def test_that_a_file_that_only_looks_like_an_example_is_told() -> None:
    loaded = load(files(**{"examples/X.JSON": example(3)}))
    assert warn(loaded, "example_ignored").file == "examples/X.JSON"


def test_that_a_pack_may_say_how_sure_the_recommendation_has_to_be() -> None:
    loaded = load(files(MANIFEST + "recommendation:\n  margin_points: 3\n  sureness_percent: 95\n"))
    assert loaded.pack is not None
    assert (loaded.pack.recommendation.margin, loaded.pack.recommendation.confidence) == (0.03, 0.95)
    wrong = load(files(MANIFEST + "recommendation:\n  margin_points: 60\n"))
    assert only(wrong, "out_of_range").subject == "recommendation.margin_points"


def test_that_an_unknown_kind_of_answer_is_refused() -> None:
    loaded = load(files(MANIFEST.replace("  seed: 7", "  seed: 7\n  answer: strict")))
    assert only(loaded, "unknown_answer").severity is Severity.ERROR
    assert load(files(MANIFEST.replace("  seed: 7", "  seed: 7\n  answer: constrained"))).problems == ()


def test_that_a_pack_may_name_the_texts_at_which_an_answer_ends() -> None:
    asked = MANIFEST.replace("  seed: 7", '  seed: 7\n  stop: ["\\n", END]')
    loaded = load(files(asked))
    assert loaded.problems == ()
    assert loaded.pack is not None
    assert loaded.pack.generation.stop == ("\n", "END")
    again = TaskPack.from_snapshot(json.loads(json.dumps(loaded.pack.snapshot())))
    assert again.generation == loaded.pack.generation
    assert "stop" not in load(files(MANIFEST)).pack.generation.as_json()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("written", "code", "place"),
    [
        ("END", "list_required", "generation.stop"),
        ("[a, b, c, d, e]", "too_large", "generation.stop"),
        ("[a, '']", "text_required", "generation.stop[1]"),
        ("[12]", "text_required", "generation.stop[0]"),
    ],
)
def test_that_stop_words_that_cannot_be_are_refused(written: str, code: str, place: str) -> None:
    loaded = load(files(MANIFEST.replace("  seed: 7", f"  seed: 7\n  stop: {written}")))
    problem = only(loaded, code)
    assert (problem.subject, problem.severity) == (place, Severity.ERROR)
    assert loaded.pack is None


# Hostile input ----------


def test_that_an_alias_bomb_is_refused_before_it_expands() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
    )
    assert only(load(files(bomb)), "yaml_syntax")


@pytest.mark.parametrize(
    "manifest", ["[" * 50_000, "{a: " * 50_000, "- " * 5_000 + "x", "a: &a [*a]", "a: &a {b: *a}"]
)
def test_that_endless_nesting_in_yaml_is_refused(manifest: str) -> None:
    assert only(load(files(manifest)), "yaml_syntax")


def test_that_a_very_large_manifest_is_refused() -> None:
    assert only(load(files(MANIFEST + "#" * 2**20)), "too_large")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 600 + "]" * 600])
def test_that_endless_nesting_in_an_example_is_refused(text: str) -> None:
    assert only(load(files(**{"examples/003.json": text})), "json_syntax").file == "examples/003.json"


def test_that_an_example_of_sixty_megabytes_is_read_and_told_not_to_fit() -> None:
    loaded = load(files(**{"examples/003.json": example(3, text="word " * 12_000_000)}))
    assert warn(loaded, "input_too_long").file == "examples/003.json"


def test_that_an_example_beyond_the_bound_is_refused() -> None:
    loaded = load(files(**{"examples/003.json": b" " * (64 * 2**20 + 1)}))
    assert only(loaded, "too_large").file == "examples/003.json"


def test_that_half_a_character_is_refused() -> None:
    loaded = load(files(**{"examples/003.json": '{"input":"\\ud83d","expected":"letter"}'}))
    assert only(loaded, "broken_character").subject == "input"


def test_that_nul_in_a_path_is_refused() -> None:
    assert only(load(files(MANIFEST.replace("./prompt.md", '"a\\0b"'))), "prompt_unreadable")


def test_that_numbers_without_end_are_refused_where_they_would_be_stored() -> None:
    manifest = MANIFEST.replace("exact-label", "field-f1").replace(
        "labels: [letter, parcel]", "key_fields: [a]"
    )
    content = files(manifest)
    content.update({f"examples/{n:03}.json": example(n, {"a": 1}) for n in range(20)})
    content["examples/003.json"] = b'{"input":"x","expected":{"a":1e999}}'
    assert only(load(content), "not_finite").file == "examples/003.json"
    assert only(load(files(MANIFEST.replace("generation:", "  x: .nan\ngeneration:"))), "not_finite")


def test_that_thousands_of_gates_are_refused() -> None:
    gate = "- {scorer: json-schema, scorer_params: {schema: s.json}}\n"
    loaded = load(files(MANIFEST + "gates:\n" + gate * 3000, **{"s.json": "{}"}))
    assert only(loaded, "too_large").subject == "gates"


def test_that_thousands_of_problems_are_told_and_cut_where_nobody_reads_on() -> None:
    unknown = load(files(MANIFEST + "".join(f"k{number}: 1\n" for number in range(20_000))))
    assert len(unknown.problems) == 50
    content = files()
    content.update({f"examples/x{n}.json": example(n, "nope") for n in range(3000)})
    loaded = load(content)
    assert len(loaded.problems) == 1001
    assert loaded.problems[-1].code == "too_many_problems"
    assert loaded.problems[-1].severity is Severity.ERROR


@pytest.mark.parametrize(
    "source", ["(?:(?:a{1000}){1000}){1000}", "(" * 300 + ")" * 300, "a{999999999}", "b" * 30_000]
)
def test_that_an_expression_that_would_eat_the_memory_is_refused(source: str) -> None:
    manifest = MANIFEST.replace("exact-label", "pattern").replace(
        "labels: [letter, parcel]", f"mode: regex\n  patterns: ['{source}']"
    )
    assert only(load(files(manifest)), "param").subject == "scorer_params.patterns[0]"


def test_that_a_seed_beyond_all_measure_is_told() -> None:
    assert warn(load(files(MANIFEST.replace("seed: 7", "seed: 1" + "0" * 300))), "number_too_large")


def test_that_a_schema_that_doubles_itself_ends_without_a_score() -> None:
    definitions = {f"d{n}": {"allOf": [{"$ref": f"#/definitions/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"definitions": {**definitions, "d40": {"type": "object"}}, "$ref": "#/definitions/d0"}
    manifest = MANIFEST.replace("exact-label", "json-schema").replace(
        "labels: [letter, parcel]", "schema: s.json"
    )
    pack = load(files(manifest, **{"s.json": json.dumps(schema)})).pack
    assert pack is not None
    assert pack.scoring.score("{}", None).passed is None


@settings(max_examples=60)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_that_no_manifest_and_no_example_makes_the_loader_raise(content: bytes) -> None:
    assert not load(files(**{"examples/003.json": content, "task.yaml": content})).valid
    load(files(**{"examples/003.json": content}))
    load(files(**{"prompt.md": content}))


def test_that_a_repeated_key_before_broken_json_is_told_as_broken_json() -> None:
    loaded = load(files(**{"examples/003.json": '{"a": {"b": 1, "b": 2}, "expected": }'}))
    assert only(loaded, "json_syntax").line == 1


SIGNS = [
    b'"',
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\n",
    b"\t",
    b"  ",
    b"- ",
    b"&a",
    b"*a",
    b"!!int ",
    b"null",
]
TEXTS = [
    b"1e999",
    b".nan",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\",
    b"\\ud83d",
    b"#",
    b"|",
    b">",
    b"?",
    b"../",
]
PLACES = st.tuples(
    st.sampled_from(["task.yaml", "task.yaml", "prompt.md", "examples/003.json"]),
    st.integers(0, 400),
    st.integers(0, 25),
    st.sampled_from(SIGNS + TEXTS),
)


@settings(max_examples=150)
@given(st.lists(PLACES, min_size=1, max_size=4))
def test_that_no_damage_to_a_sound_pack_makes_the_loader_raise(
    places: list[tuple[str, int, int, bytes]],
) -> None:
    content = files()
    for path, at, gone, come in places:
        content[path] = content[path][:at] + come + content[path][at + gone :]
    loaded = load(content)
    assert (loaded.pack is None) is not loaded.valid
    for problem in loaded.problems:
        assert problem.message
        assert problem.fix


# Fingerprint ----------


def fingerprint(folder: Path) -> str:
    pack = load_pack(folder).pack
    assert pack is not None
    return pack.fingerprint


def test_that_only_files_that_count_change_the_fingerprint(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "pack", files())
    before = fingerprint(folder)
    on_disk(folder, {"README.md": b"x", "results.db": b"x", ".DS_Store": b"x", "examples/notes.txt": b"x"})
    assert fingerprint(folder) == before
    on_disk(folder, {"prompt.md": PROMPT.replace("Is", "Was").encode()})
    assert fingerprint(folder) != before


def test_that_disk_and_memory_give_the_same_fingerprint(tmp_path: Path) -> None:
    pack = load(files()).pack
    assert pack is not None
    assert fingerprint(on_disk(tmp_path / "pack", files())) == pack.fingerprint


def test_that_unsaved_text_lies_over_the_files_on_disk(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "pack", files())
    loaded = load_pack_from_files({"prompt.md": b"letter parcel {{input}}"}, folder)
    assert loaded.pack is not None
    assert loaded.pack.prompt == "letter parcel {{input}}"


def test_that_every_error_is_an_error_in_the_table() -> None:
    loaded = load({})
    assert [problem.code for problem in loaded.problems] == ["unreadable"]
    assert "unreadable" in ERRORS

"""The help is complete: every place, field, problem, command and key is on a page, and every page is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_scripts.help_commands import PAGES
from desktop.application.help_pages import FIRST_PAGE, page_names, page_text, picture, search, title_of
from desktop.cli.commands import COMMANDS
from desktop.cli.exits import MEANINGS, Exit
from packs.qualification.codes import CODES as QUALIFICATION_CODES
from packs.qualification.evaluators import EVALUATORS, JUDGE_PAIR
from packs.qualification.rules_judge import JUDGE_FIELDS
from packs.qualification.schema import Group, Listing, Nullable, Spec
from packs.qualification.schemas import (
    ARTIFACTS,
    CASE,
    CONDITIONS,
    MANIFEST,
    MAPPINGS,
    POLICY,
    RUBRIC,
    THRESHOLDS,
    TRIGGER_LISTS,
    TRIGGERS,
)
from packs.qualification.schemas import EVALUATORS as EVALUATORS_FILE
from packs.task.codes import CODES as TASK_CODES
from packs.task.manifest import GENERATION_KEYS, PROVENANCE_KEYS, RECOMMENDATION_KEYS, TOP_KEYS
from packs.task.outcome import Cause
from packs.task.scorers import SCORERS

PICTURES = Path(__file__).parents[3] / "resources" / "help" / "pictures"


@pytest.mark.parametrize("code", TASK_CODES)
def test_that_every_code_of_task_packs_is_explained(code: str) -> None:
    assert f"`{code}`" in page_text("problems.md")


@pytest.mark.parametrize("code", QUALIFICATION_CODES)
def test_that_every_code_of_qualification_packs_is_explained(code: str) -> None:
    assert f"`{code}`" in page_text("qualification-problems.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_that_every_command_is_on_a_page(name: str) -> None:
    assert f"### {COMMANDS[name].usage}" in page_text("commands.md")


@pytest.mark.parametrize("name", PAGES)
def test_that_the_pages_of_the_commands_say_what_the_program_says(name: str) -> None:
    assert page_text(name) == PAGES[name](), "run: python build_scripts/help_commands.py"


def test_that_every_exit_code_has_one_meaning_on_the_page_of_the_commands() -> None:
    assert set(MEANINGS) == set(Exit)
    for code, meaning in MEANINGS.items():
        assert page_text("commands.md").count(f"- `{code.value}`: {meaning}\n") == 1


def test_that_every_field_of_a_task_pack_is_on_a_page() -> None:
    text = page_text("packs.md")
    for key in (*TOP_KEYS, *GENERATION_KEYS, *PROVENANCE_KEYS, *RECOMMENDATION_KEYS, "input", "expected"):
        assert f"`{key}`" in text, key


def test_that_every_scorer_and_its_settings_are_on_a_page() -> None:
    text = page_text("scorers.md")
    for scorer in SCORERS:
        assert f"`{scorer.name}`" in text
        for key, facts in scorer.Params.model_json_schema().get("properties", {}).items():
            assert f"`{key}`" in text and facts["description"], f"{scorer.name}.{key}"


def test_that_every_part_of_a_qualification_pack_is_on_a_page() -> None:
    text = page_text("qualification.md")
    assert isinstance(MANIFEST, Group)
    for key in (*ARTIFACTS, *MANIFEST.required):
        if key not in ("interface", "artifacts"):
            assert f"`{key}`" in text, key


def fields_of(spec: Spec) -> set[str]:
    """Every key at every depth."""
    if isinstance(spec, Group):
        known = {**spec.required, **spec.optional}
        below = [fields_of(inner) for inner in (*known.values(), *([spec.others] if spec.others else []))]
        return set(known).union(*below)
    if isinstance(spec, Listing):
        return fields_of(spec.item)
    return fields_of(spec.inner) if isinstance(spec, Nullable) else set()


@pytest.mark.parametrize(
    "schema",
    [MANIFEST, EVALUATORS_FILE, THRESHOLDS, POLICY, TRIGGER_LISTS, MAPPINGS, RUBRIC, CASE],
    ids=["pack", "evaluators", "thresholds", "qualification", "triggers", "mappings", "rubric", "case"],
)
def test_that_every_field_of_a_qualification_pack_is_on_a_page(schema: Spec) -> None:
    text = page_text("qualification-fields.md")
    assert not [key for key in sorted(fields_of(schema)) if f"`{key}`" not in text]


def test_that_every_evaluator_trigger_and_condition_is_on_a_page() -> None:
    text = page_text("qualification-fields.md")
    wanted = {*CONDITIONS, *TRIGGERS, *JUDGE_FIELDS, *JUDGE_PAIR.split(":")[1:]}
    for evaluator in EVALUATORS:
        wanted |= {evaluator.type, *evaluator.settings}
    assert not [word for word in sorted(wanted) if f"`{word}`" not in text]


def test_that_every_cause_is_in_the_list_of_letters() -> None:
    text = page_text("results.md").casefold()
    for cause in Cause:
        assert cause.value.replace("_", " ") in text, cause


def test_that_every_page_can_be_reached_from_the_first() -> None:
    for name in page_names():
        assert name == FIRST_PAGE or f"]({name})" in page_text(FIRST_PAGE), name
        assert title_of(name)


@pytest.mark.parametrize("name", ["none.md", "../help/index.md", ""])
def test_that_no_other_file_is_a_page_or_a_picture(name: str) -> None:
    with pytest.raises(KeyError):
        page_text(name)
    assert picture(name) is None


def test_that_pictures_are_few_and_small_and_all_shown() -> None:
    shown = "".join(page_text(name) for name in page_names())
    files = list(PICTURES.glob("*"))
    assert 0 < len(files) <= 10
    for file in files:
        assert file.suffix == ".png" and file.stat().st_size <= 60_000, file.name
        assert f"(pictures/{file.name})" in shown, file.name


def test_that_search_wants_every_word_and_puts_titles_first() -> None:
    assert search("  ") == []
    assert search("xylophone") == []
    found = search("MODELS")
    assert found[0].page == "models.md"
    both = search("damaged journal")
    assert [entry.page for entry in both] == ["trouble.md"]
    assert "journal" in both[0].around.casefold()
    assert all(len(entry.around) <= 120 for entry in search("the"))

"""Editing a pack: small changes, and back to the very bytes of the start."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from packs.errors import AppError
from packs.task.content import Change, PackContent, UnreadableContent, read_content

MANIFEST = """\
# Our desk
name: desk   # short
type: routing
scorer: exact-label
scorer_params:
  labels: [billing, "no", repairs]
generation: {context: 2048, max_tokens: 16, temperature: 0, seed: 7, runs_per_example: 1}
prompt_template: ./prompt.md
examples_dir: ./examples
"""


def content(**files: str) -> PackContent:
    start = {
        "task.yaml": MANIFEST,
        "prompt.md": "Sort.\r\n{{input}}\r\n",
        "examples/001.json": '{"input": "a lamp",\n "expected": "repairs"}\n',
        "examples/10.json": '{"input": "x", "expected": "no"}',
        "examples/2.json": '{"input": "y", "expected": "no"}',
    }
    return PackContent({name: text.encode() for name, text in {**start, **files}.items()})


def applied(pack: PackContent, change: Change) -> PackContent:
    pack.apply(change)
    return pack


def test_that_a_value_is_changed_and_comments_and_order_stay() -> None:
    pack = content()
    pack.apply(pack.put("task.yaml", ("scorer_params", "labels", 0), "invoices"))
    text = pack.files["task.yaml"].decode()
    assert text == MANIFEST.replace("billing", "invoices")


def test_that_a_missing_mapping_on_the_way_is_made_and_a_list_grows_at_its_end() -> None:
    pack = content()
    pack.apply(pack.put("task.yaml", ("scorer_params", "aliases", "bill"), "billing"))
    pack.apply(pack.put("task.yaml", ("scorer_params", "labels", 3), "on"))
    assert pack.value("task.yaml", ("scorer_params", "aliases")) == {"bill": "billing"}
    assert pack.value("task.yaml", ("scorer_params", "labels")) == ["billing", "no", "repairs", "on"]
    with pytest.raises(KeyError):
        pack.put("task.yaml", ("scorer_params", "labels", 9), "x")


def test_that_the_prompt_keeps_its_line_ends() -> None:
    pack = content()
    assert pack.text("prompt.md") == "Sort.\n{{input}}\n"
    pack.apply(pack.put_text("prompt.md", "Sort it.\n{{input}}\n"))
    assert pack.files["prompt.md"] == b"Sort it.\r\n{{input}}\r\n"


def test_that_examples_come_in_the_order_they_are_run() -> None:
    assert content().example_files() == ["examples/001.json", "examples/10.json", "examples/2.json"]


def test_that_an_example_is_edited_in_its_own_layout() -> None:
    pack = content()
    pack.apply(pack.put("examples/001.json", ("expected",), "billing"))
    assert pack.files["examples/001.json"] == b'{"input": "a lamp",\n "expected": "billing"}\n'


def test_that_a_broken_file_stays_as_it_is_and_the_rest_can_be_edited() -> None:
    pack = content(**{"task.yaml": "name: [", "examples/001.json": "{"})
    with pytest.raises(UnreadableContent):
        pack.manifest()
    with pytest.raises(UnreadableContent):
        pack.put("task.yaml", ("name",), "x")
    assert len(pack.example_files()) == 3
    pack.apply(pack.put_text("task.yaml", MANIFEST, "write task.yaml"))
    assert pack.manifest()["name"] == "desk"


def test_that_taking_back_every_change_gives_the_bytes_of_the_start() -> None:
    pack, start, dice = content(), dict(content().files), random.Random(7)
    done: list[Change] = []
    for number in range(200):
        match dice.randrange(6):
            case 0:
                change = pack.put("task.yaml", ("name",), f"desk {number}: no")
            case 1:
                labels = pack.value("task.yaml", ("scorer_params", "labels"))
                change = pack.put("task.yaml", ("scorer_params", "labels"), [*labels, f"l{number}"])
            case 2:
                change = pack.put_text("prompt.md", f"line {number}\n{{{{input}}}}")
            case 3:
                change = pack.put_files({f"examples/n{number}.json": b'{"input": "z", "expected": 1}'}, "add")
            case 4:
                change = pack.put_files({dice.choice(pack.example_files()): None}, "delete")
                if len(pack.example_files()) < 2:
                    continue
            case _:
                change = pack.put(pack.example_files()[0], ("input",), f"text {number}")
        pack.apply(change)
        done.append(change)
    for change in reversed(done):
        pack.revert(change)
    assert dict(pack.files) == start


def test_that_typing_a_word_can_be_one_step() -> None:
    pack = content()
    first = pack.put("task.yaml", ("name",), "d")
    pack.apply(first)
    second = pack.put("task.yaml", ("name",), "de")
    pack.apply(second)
    both = first.then(second)
    pack.revert(both)
    assert pack.files["task.yaml"].decode() == MANIFEST
    assert both.place == ("task.yaml", ("name",))


def test_that_a_path_outside_the_pack_is_refused() -> None:
    for name in ("../x.json", "/x.json", "examples/../../x", "./x"):
        with pytest.raises(AppError):
            content().put_files({name: b"x"}, "add")


def test_that_a_folder_is_read_with_everything_the_editor_may_touch(tmp_path: Path) -> None:
    for name, data in content(
        **{
            "task.yaml": MANIFEST + "gates:\n  - scorer: json-schema\n    scorer_params:\n"
            "      schema: ./s.json\n",
            "s.json": "{}",
        }
    ).files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    read = read_content(tmp_path)
    assert set(read.files) == {
        *("task.yaml", "prompt.md", "s.json", "examples/001.json", "examples/10.json", "examples/2.json")
    }
    with pytest.raises(AppError) as caught:
        read_content(tmp_path / "examples")
    assert caught.value.code == "no_pack"


def test_that_values_are_those_of_the_bytes_after_every_change() -> None:
    pack = content()
    file = "examples/001.json"
    change = pack.put(file, ("input",), "another")
    assert pack.value(file, ("input",)) == "a lamp"
    pack.apply(change)
    assert pack.value(file, ("input",)) == "another"
    pack.revert(change)
    assert pack.value(file, ("input",)) == "a lamp"
    gone = pack.put_files({file: None}, "delete")
    pack.apply(gone)
    with pytest.raises(UnreadableContent):
        pack.tree(file)
    pack.revert(gone)
    assert pack.value(file, ("input",)) == "a lamp"
    moved = pack.put("task.yaml", ("examples_dir",), "./others")
    pack.apply(moved)
    assert pack.examples_folder == "others"
    assert list(pack.example_files()) == []
    pack.revert(moved)
    assert len(pack.example_files()) == 3


def test_that_values_that_were_read_elsewhere_count_for_the_very_same_bytes_alone() -> None:
    pack = content()
    data = b'{"input": "read", "expected": "no"}'
    read = PackContent({"examples/001.json": data, "examples/3.json": data})
    for file in read.files:
        read.tree(file)
    pack.apply(pack.put_files({"examples/3.json": data}, "paste"))
    pack.take_parsed(read)
    assert pack.value("examples/3.json", ("input",)) == "read"
    assert pack.value("examples/001.json", ("input",)) == "a lamp"


@pytest.mark.parametrize("folder", ["./examples", "."])
def test_that_many_files_at_once_are_listed_as_they_are_one_by_one(folder: str) -> None:
    manifest = MANIFEST.replace("./examples", folder)
    prefix = "examples/" if folder == "./examples" else ""
    names = [f"{number:04}" for number in range(150)] + ["\ue000", "\U0001f600", "é", "Z", "a"]
    files = {f"{prefix}{name}.json": b"{}" for name in names}
    files |= {f"{prefix}deeper/1.json": b"{}", "packbench-review.json": b"{}"}
    once, single = content(**{"task.yaml": manifest}), content(**{"task.yaml": manifest})
    once.example_files()
    single.example_files()
    once.apply(once.put_files(files, "all"))
    for name, data in files.items():
        single.apply(single.put_files({name: data}, "one"))
    assert list(once.example_files()) == list(single.example_files())
    assert once.example_files().index(f"{prefix}\U0001f600.json") < once.example_files().index(
        f"{prefix}\ue000.json"
    )


@pytest.mark.parametrize("name", ["..", "", ".", "../../x.json", "a\\b.json", "a\x00.json"])
def test_that_each_of_many_names_in_a_folder_is_looked_at(name: str) -> None:
    with pytest.raises(AppError):
        content().put_files({"examples/7.json": b"{}", f"examples/{name}": b"{}"}, "paste")

"""Models found on a disk: where, by what name, each once, and what broken ones say."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from desktop.inference.model_files.facts import facts_from_gguf
from desktop.inference.model_files.facts_json import facts_from_json, facts_to_json
from desktop.inference.model_files.file_card import CardCache, family_of, read_card
from desktop.inference.model_files.gguf import read_gguf
from desktop.inference.model_files.library import Library, ModelLocation, merge_duplicates
from desktop.inference.model_files.model_folders import ModelFolder, ollama_stores, usual_folders
from desktop.inference.model_files.model_kind import ModelKind
from tests.fakes.gguf_writer import NewTensor, small_llama, small_tensors, write_gguf


def _model(path: Path, name: str = "Small") -> Path:
    return write_gguf(path, small_llama(**{"general.name": name}), small_tensors())


def _cache(tmp_path: Path) -> CardCache:
    return CardCache(tmp_path / "cache" / "models.json")


def test_that_models_of_all_folders_are_found_with_their_owner(tmp_path: Path) -> None:
    one = _model(tmp_path / "own" / "Alpha-1B-Q4_0.gguf")
    two = _model(tmp_path / "studio" / "maker" / "beta-gguf" / "beta-q8_0.GGUF", "Other")
    (tmp_path / "own" / "notes.txt").write_text("GGUF")
    folders = (ModelFolder("Packbench", tmp_path / "own"), ModelFolder("LM Studio", tmp_path / "studio"))
    found = Library((*folders, ModelFolder("Jan", tmp_path / "nowhere"))).scan(_cache(tmp_path))
    assert [(model.places[0].owner, model.places[0].path) for model in found] == [
        ("Packbench", one),
        ("LM Studio", two),
    ]
    assert [model.card.family for model in found] == ["Alpha-1B", "beta"]
    assert all(model.card.can_run for model in found)


def test_that_one_file_through_links_is_one_model_with_places(tmp_path: Path) -> None:
    file = _model(tmp_path / "a" / "m.gguf")
    (tmp_path / "b").mkdir()
    os.link(file, tmp_path / "b" / "hard.gguf")
    (tmp_path / "b" / "soft.gguf").symlink_to(file)
    library = Library((ModelFolder("A", tmp_path / "a"), ModelFolder("B", tmp_path / "b")), files=(file,))
    (model,) = library.scan(_cache(tmp_path))
    assert [place.path.name for place in model.places] == ["m.gguf", "hard.gguf", "soft.gguf"]


def test_that_equal_contents_are_shown_once(tmp_path: Path) -> None:
    first = _model(tmp_path / "a" / "m.gguf")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "copy.gguf").write_bytes(first.read_bytes())
    other = bytearray(first.read_bytes())
    other[-1] ^= 1
    (tmp_path / "b" / "differs.gguf").write_bytes(other)
    cache = _cache(tmp_path)
    library = Library((ModelFolder("A", tmp_path / "a"), ModelFolder("B", tmp_path / "b")))
    models = merge_duplicates(library.scan(cache), cache)
    assert [[place.path.name for place in model.places] for model in models] == [
        ["m.gguf", "copy.gguf"],
        ["differs.gguf"],
    ]
    # The next start knows the digests without reading the files.
    assert CardCache(tmp_path / "cache" / "models.json").digest(first) == models[0].digest


def test_that_a_split_model_is_one_and_a_missing_part_is_named(tmp_path: Path) -> None:
    for i in (1, 2):
        metadata = small_llama() | {"split.no": i - 1, "split.count": 2}
        write_gguf(tmp_path / "a" / f"big-Q4_0-0000{i}-of-00002.gguf", metadata, small_tensors()[i - 1 :: 2])
    write_gguf(tmp_path / "b" / "half-00002-of-00002.gguf", small_llama(), small_tensors())
    whole, half = Library((ModelFolder("A", tmp_path / "a"), ModelFolder("B", tmp_path / "b"))).scan(
        _cache(tmp_path)
    )
    assert (whole.name, whole.card.family) == ("big-Q4_0", "big")
    assert whole.card.can_run
    assert "half-00001-of-00002.gguf is not beside it" in half.card.problem


def test_that_broken_and_other_files_are_listed_with_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "page.gguf").write_text("<html>sign in</html>")
    write_gguf(folder / "mmproj.gguf", {"general.architecture": "clip"}, [NewTensor("v", (32,))])
    write_gguf(folder / "odd.gguf", small_llama(**{"llama.block_count": 0}), small_tensors())
    models = Library((ModelFolder("A", folder),)).scan(_cache(tmp_path))
    problems = {model.places[0].path.name: model.card.problem for model in models}
    assert "web page" in problems["page.gguf"]
    assert "cannot run alone" in problems["mmproj.gguf"]
    assert "llama.block_count" in problems["odd.gguf"]
    assert not any(model.card.can_run for model in models)


def _ollama(store: Path, name: str, tag: str, content: bytes) -> Path:
    digest = hashlib.sha256(content).hexdigest()
    blob = store / "blobs" / f"sha256-{digest}"
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    manifest = store / "manifests/registry.ollama.ai/library" / name / tag
    manifest.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "0" * 64},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    manifest.write_text(json.dumps({"layers": layers}))
    return blob


def test_that_ollamas_models_have_their_own_names_and_meet_their_copies(tmp_path: Path) -> None:
    file = _model(tmp_path / "own" / "m.gguf")
    store = tmp_path / "ollama"
    blob = _ollama(store, "small", "1b", file.read_bytes())
    cache = _cache(tmp_path)
    library = Library((ModelFolder("Packbench", tmp_path / "own"),), ollama=(store,))
    (model,) = merge_duplicates(library.scan(cache), cache)
    assert model.places == (ModelLocation("Packbench", file, "m"), ModelLocation("Ollama", blob, "small:1b"))
    (alone,) = Library((), ollama=(store,)).scan(cache)
    assert (alone.name, alone.card.family, alone.digest) == ("small:1b", "small", model.digest)


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b"{", b'{"layers": 3}', b'{"layers": [3]}', b"[" * 5000]
    + [
        json.dumps({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": digest}]}).encode()
        for digest in ("sha256:../../etc/passwd", "", "sha256:" + "f" * 64)
    ],
)
def test_that_odd_manifests_are_passed_over(manifest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "manifests/registry.ollama.ai/library/x/latest"
    path.parent.mkdir(parents=True)
    path.write_bytes(manifest)
    assert Library((), ollama=(tmp_path,)).scan(_cache(tmp_path)) == ()


def test_that_kept_headers_are_used_until_the_file_changes(tmp_path: Path) -> None:
    file = _model(tmp_path / "a" / "m.gguf")
    cache = _cache(tmp_path)
    card = cache.card(file)
    assert card == read_card(file)
    cache.save()
    again = CardCache(tmp_path / "cache" / "models.json")
    assert again.card(file) == card
    write_gguf(file, small_llama(**{"general.license": "mit", "more": "x"}), small_tensors())
    assert again.card(file).licence == "mit"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 2, "entries": 3}', b'{"version": 99}', b"\xff"]
)
def test_that_a_broken_cache_is_started_anew(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/models.json").write_bytes(content)
    assert _cache(tmp_path).card(_model(tmp_path / "m.gguf")).can_run


def test_that_a_broken_entry_of_the_cache_is_read_again(tmp_path: Path) -> None:
    file = _model(tmp_path / "m.gguf")
    cache = _cache(tmp_path)
    cache.card(file)
    cache.save()
    kept = tmp_path / "cache/models.json"
    for broken in (None, {}, {"kind": "none"}, {"facts": {"layers": "x"}}):
        data = json.loads(kept.read_text())
        data["entries"][str(file)]["card"] = broken
        kept.write_text(json.dumps(data))
        assert _cache(tmp_path).card(file) == read_card(file)


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text are refused elsewhere")
def test_that_a_name_that_is_no_text_keeps_its_header_and_digest(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / os.fsdecode(b"odd\xff.gguf"), small_llama(), small_tensors())
    cache = CardCache(tmp_path / "cache.json")
    assert cache.card(path).can_run
    cache.keep_digest(path, "sha256:abc")
    cache.save()
    again = CardCache(tmp_path / "cache.json")
    assert again.digest(path) == "sha256:abc"
    assert again.card(path).path == path


def test_that_facts_survive_the_way_through_json(tmp_path: Path) -> None:
    metadata = small_llama(
        **{"llama.attention.head_count_kv": [2, 4], "llama.attention.sliding_window_pattern": [True, False]}
    )
    facts = facts_from_gguf(read_gguf(write_gguf(tmp_path / "m.gguf", metadata, small_tensors())))
    assert facts_from_json(json.loads(json.dumps(facts_to_json(facts)))) == facts


NAMES = {
    "SmolLM2-135M-Instruct.Q4_1.gguf": "SmolLM2-135M-Instruct",
    "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf": "Meta-Llama-3.1-8B-Instruct",
    "gemma-3-270m-q4_k_m.gguf": "gemma-3-270m",
    "gpt-oss-20b-MXFP4.gguf": "gpt-oss-20b",
    "Qwen3-4B-UD-IQ2_XXS-00001-of-00002.gguf": "Qwen3-4B",
    "model.f16.gguf": "model",
    "Q4_0.gguf": "Q4_0",
}


@pytest.mark.parametrize("name", NAMES)
def test_that_the_family_is_the_name_without_the_quantization(name: str) -> None:
    assert family_of(name) == NAMES[name]


def test_that_the_usual_folders_follow_system_and_environment() -> None:
    home = Path("/home/u")
    folders = {(folder.owner, str(folder.path)) for folder in usual_folders(home, {}, "linux")}
    assert ("GPT4All", "/home/u/.local/share/nomic.ai/GPT4All") in folders
    assert ("Hugging Face cache", "/home/u/.cache/huggingface/hub") in folders
    assert ("LM Studio", "/home/u/.lmstudio/models") in folders
    moved = {
        str(folder.path) for folder in usual_folders(home, {"HF_HOME": "/big/hf", "LLAMA_CACHE": "/l"}, "linux")
    }
    assert {"/big/hf/hub", "/l"} <= moved
    mac = {str(folder.path) for folder in usual_folders(home, {}, "darwin")}
    assert "/home/u/Library/Application Support/Jan/data/llamacpp/models" in mac
    windows = {str(folder.path) for folder in usual_folders(home, {"LOCALAPPDATA": "/c/Local"}, "win32")}
    assert "/c/Local/nomic.ai/GPT4All" in windows
    assert ollama_stores(home, {"OLLAMA_MODELS": "/o"}, "linux") == (Path("/o"),)
    assert ollama_stores(home, {}, "darwin") == (Path("/home/u/.ollama/models"),)


def test_that_a_scan_can_be_stopped_and_tells_each_model_at_once(tmp_path: Path) -> None:
    for i in range(5):
        _model(tmp_path / "a" / f"m{i}.gguf")
    seen: list[str] = []

    class Stopped(Exception):
        pass

    def stop_after_two() -> None:
        if len(seen) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        Library((ModelFolder("A", tmp_path / "a"),)).scan(
            _cache(tmp_path), on_found=lambda model: seen.append(model.name), raise_if_cancelled=stop_after_two
        )
    assert seen == ["m0", "m1"]


def test_that_a_missing_added_file_is_told(tmp_path: Path) -> None:
    (model,) = Library((), files=(tmp_path / "gone.gguf",)).scan(_cache(tmp_path))
    assert model.card.kind is ModelKind.OTHER
    assert "cannot be read" in model.card.problem

"""Reading a task pack: all problems in one pass, whatever stands in the folder."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from packs.documents.files import DiskFiles, FileTrouble, MemoryFiles, NotUtf8, PackFiles, clean_path, decode
from packs.documents.json_tree import line_and_column
from packs.documents.problems import FieldPath, Problem, Severity, dotted, has_errors
from packs.documents.strict_json import MAX_FILE_DEPTH, JsonFault, parse
from packs.documents.yaml_tree import Document, YamlFault, parse_yaml
from packs.task.advice import advise
from packs.task.examples import ReadExamples, example_problem, has_infinity, json_problem, read_examples
from packs.task.manifest import Manifest, ManifestReader, ScorerEntry
from packs.task.model import MANIFEST, LoadedPack, TaskPack
from packs.task.prompt import PLACEHOLDER, lookalikes
from packs.task.scorers import SCORERS, BadExpected, BadParams, Scorer
from packs.task.scoring import ScorerSpec, Scoring

MAX_MANIFEST_BYTES = 2**20
MAX_PROMPT_BYTES = 8 * 2**20
MAX_SCHEMA_BYTES = 2**19
"""A schema of half a MiB takes a second to check; real ones are a few KiB."""
MAX_PROBLEMS = 1000
"""Listed one by one."""


def load_pack(folder: Path) -> LoadedPack:
    """Read and check the pack in `folder`. Never raises for anything the folder may hold."""
    return load_pack_files(DiskFiles(folder), folder)


def load_pack_from_files(
    content: Mapping[str, bytes], folder: Path | None = None, removed: Collection[str] = ()
) -> LoadedPack:
    """Read and check a pack from memory: relative path with `/` to bytes.

    folder: where files that `content` does not name are looked up, for an editor with unsaved changes; those
    that are `removed` are not.
    """
    beneath = DiskFiles(folder) if folder is not None else None
    return load_pack_files(MemoryFiles(content, beneath, removed), folder)


def load_pack_files(files: PackFiles, folder: Path | None = None) -> LoadedPack:
    """As `load_pack`, from any source of files."""
    return _Loader(files, folder).load()


def fingerprint_of(files: Mapping[str, bytes]) -> str:
    """SHA-256 in hex over path, zero byte, content, zero byte of each file, sorted by path (section 16.3).

    Paths are relative with `/`; only the manifest and the files it refers to count.
    """
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.encode("utf-8") + b"\0" + files[path] + b"\0")
    return digest.hexdigest()


class _Loader:
    def __init__(self, files: PackFiles, folder: Path | None) -> None:
        self.files = files
        self.folder = folder
        self.problems: list[Problem] = []
        self.read: dict[str, bytes] = {}
        self.document = Document(None)

    def load(self) -> LoadedPack:
        manifest = self._manifest()
        if manifest is None:
            return LoadedPack(None, self._listed())
        prompt, prompt_path = self._prompt(manifest)
        primary = self._spec(manifest.primary)
        gates = [self._spec(entry) for entry in manifest.gates]
        examples = self._examples(manifest)
        scorers = [self._scorer(entry, spec) for entry, spec in zip(manifest.gates, gates, strict=True)]
        scorers.append(self._scorer(manifest.primary, primary))
        self._dry_run(examples, [*manifest.gates, manifest.primary], scorers)
        advise(self.problems, self.document, manifest, prompt, prompt_path, examples, scorers)
        count = examples.file_count if examples is not None else 0
        if has_errors(self.problems):
            return LoadedPack(None, self._listed(), manifest.name, count)
        assert manifest.name and manifest.type and manifest.generation and prompt is not None and primary
        assert examples is not None
        pack = TaskPack(
            self.folder,
            manifest.name,
            manifest.type,
            Scoring(
                primary,
                [gate for gate in gates if gate is not None],
                [scorer for scorer in scorers if scorer is not None],
            ),
            manifest.generation,
            prompt,
            prompt_path,
            examples.examples,
            manifest.provenance,
            tuple(sorted(self.read)),
            fingerprint_of(self.read),
            manifest.recommendation,
        )
        return LoadedPack(pack, self._listed(), manifest.name, count)

    def _listed(self) -> tuple[Problem, ...]:
        """The problems, cut where nobody would read on; an error is never cut off unseen."""
        left = self.problems[MAX_PROBLEMS:]
        if not left:
            return tuple(self.problems)
        severity = Severity.ERROR if has_errors(left) else Severity.WARNING
        more = Problem(
            MANIFEST,
            (),
            "too_many_problems",
            f"{len(left):,} more problems are not listed.",
            "Correct these first, then look again.",
            severity,
        )
        return (*self.problems[:MAX_PROBLEMS], more)

    def _add(self, file: str, path: FieldPath, code: str, message: str, fix: str) -> None:
        line, column = self.document.place(path) if file == MANIFEST else (None, None)
        self.problems.append(Problem(file, path, code, message, fix, Severity.ERROR, line, column))

    def _manifest(self) -> Manifest | None:
        try:
            content = self.files.read(MANIFEST, MAX_MANIFEST_BYTES)
        except FileTrouble as trouble:
            code = {"outside": "path_outside", "too_large": "too_large"}.get(trouble.code, "unreadable")
            fix = trouble.fix
            if trouble.code == "missing":
                fix = "Choose the folder that holds task.yaml, or make a new pack."
            self._add(MANIFEST, (), code, trouble.message, fix)
            return None
        self.read[MANIFEST] = content
        text = self._text(MANIFEST, content, (), "not_utf8")
        if text is None:
            return None
        try:
            self.document = parse_yaml(text)
        except YamlFault as fault:
            self.problems.append(
                Problem(
                    MANIFEST,
                    (),
                    "yaml_syntax",
                    fault.reason,
                    fault.fix,
                    Severity.ERROR,
                    fault.line,
                    fault.column,
                )
            )
            return None
        reader = ManifestReader(self.document)
        manifest = reader.read()
        self.problems.extend(reader.problems)
        return manifest

    def _text(self, file: str, content: bytes, path: FieldPath, utf16_code: str) -> str | None:
        try:
            return decode(content)
        except NotUtf8 as error:
            code = utf16_code if error.utf16 else "not_utf8"
            self._add(
                file,
                path,
                code,
                f"The file is not saved as UTF-8; it looks like {error.likely}.",
                "Save it as UTF-8.",
            )
            return None

    def _file(self, written: str, field: FieldPath, limit: int, code: str) -> tuple[str, bytes] | None:
        """A file that the manifest names: its clean path and content."""
        try:
            path = clean_path(written)
            content = self.files.read(path, limit)
        except FileTrouble as trouble:
            own = {"outside": "path_outside", "too_large": "too_large"}.get(trouble.code, code)
            if trouble.code == "outside":
                self._add(MANIFEST, field, own, f"{dotted(field)}: {trouble.message}", trouble.fix)
            else:
                self._add(
                    clean_path(written) if "\x00" not in written else "",
                    field,
                    own,
                    trouble.message,
                    trouble.fix,
                )
            return None
        self.read[path] = content
        return path, content

    def _prompt(self, manifest: Manifest) -> tuple[str | None, str]:
        if manifest.prompt_template is None:
            return None, ""
        found = self._file(
            manifest.prompt_template, ("prompt_template",), MAX_PROMPT_BYTES, "prompt_unreadable"
        )
        if found is None:
            return None, manifest.prompt_template
        path, content = found
        text = self._text(path, content, ("prompt_template",), "not_utf8")
        if text is None or PLACEHOLDER in text:
            return text, path
        near = lookalikes(text)
        line, column = line_and_column(text, near[0][1]) if near else (None, None)
        message = (
            f"The input would not be sent. '{near[0][0]}' is sent as it stands; the place for it is written "
            f"'{PLACEHOLDER}'."
            if near
            else f"The prompt has no place for the input; it is written '{PLACEHOLDER}'."
        )
        fix = f"Write {PLACEHOLDER} where the input is to stand."
        self.problems.append(Problem(path, (), "no_placeholder", message, fix, Severity.ERROR, line, column))
        return text, path

    def _spec(self, entry: ScorerEntry) -> ScorerSpec | None:
        """The scorer with its `schema` read, whatever scorer it is (section 2.5)."""
        if entry.params is None:
            return None
        params = dict(entry.params)
        if isinstance(params.get("schema"), str):
            schema = self._schema(params["schema"], (*entry.params_path, "schema"))
            if schema is None:
                return None
            params["schema"] = schema
        return ScorerSpec(entry.name, params) if entry.name is not None else None

    def _schema(self, written: str, field: FieldPath) -> dict[str, Any] | None:
        """The content of a schema file; several gates may name the same one."""
        found = self._file(written, field, MAX_SCHEMA_BYTES, "schema_unreadable")
        if found is None:
            return None
        path, content = found
        text = self._text(path, content, field, "schema_unreadable")
        if text is None:
            return None
        try:
            value = parse(text, unique_keys=True, max_depth=MAX_FILE_DEPTH)
        except JsonFault as fault:
            self.problems.append(json_problem(path, text, fault, "schema_unreadable", field))
            return None
        if not isinstance(value, dict):
            self._add(
                path, field, "schema_not_object", "A schema must be a JSON object.", 'Begin with {"type": …}.'
            )
            return None
        if has_infinity(value):
            self._add(
                path, field, "not_finite", "The schema holds a number without end.", "Write a smaller number."
            )
            return None
        return value

    def _examples(self, manifest: Manifest) -> ReadExamples | None:
        if manifest.examples_dir is None:
            return None
        field: FieldPath = ("examples_dir",)
        try:
            path = clean_path(manifest.examples_dir)
            examples = read_examples(self.files, path)
        except FileTrouble as trouble:
            if trouble.code == "outside":
                self._add(MANIFEST, field, "path_outside", f"examples_dir: {trouble.message}", trouble.fix)
            else:
                code = "too_large" if trouble.code == "too_large" else "examples_unreadable"
                file = "" if "\x00" in manifest.examples_dir else clean_path(manifest.examples_dir)
                self._add(file, field, code, trouble.message, trouble.fix)
            return None
        if examples.file_count == 0:
            self._add(
                path,
                field,
                "no_examples",
                f"There is no example in '{path}'.",
                "Add files such as 001.json there.",
            )
        self.problems.extend(examples.problems)
        self.read.update(examples.files)
        return examples

    def _scorer(self, entry: ScorerEntry, spec: ScorerSpec | None) -> Scorer | None:
        if spec is None:
            return None
        try:
            return SCORERS[spec.scorer](spec.params)
        except BadParams as error:
            for fault in error.faults:
                path = (*entry.params_path, *fault.path)
                where = f"gates[{entry.path[1]}], " if entry.path else ""
                self._add(MANIFEST, path, "param", f"{where}{spec.scorer}: {fault.message}", fault.fix)
            return None

    def _dry_run(
        self, examples: ReadExamples | None, entries: list[ScorerEntry], scorers: list[Scorer | None]
    ) -> None:
        """Every example against every scorer that could be made; every file is told (section 5.2)."""
        if examples is None:
            return
        for example in examples.examples:
            file = examples.paths[example.id]
            reported: set[str] = set()
            for entry, scorer in zip(entries, scorers, strict=True):
                if scorer is None:
                    continue
                try:
                    scorer.check_expected(example.expected)
                except BadExpected as error:
                    message = error.message
                    if entry.path:
                        message = f"Gate {scorer.name} (gates[{entry.path[1]}]): {message}"
                    if message not in reported:
                        reported.add(message)
                        self._example(examples, file, "expected_unfit", message, error.fix)
            if not reported and has_infinity(example.expected):
                self._example(
                    examples,
                    file,
                    "not_finite",
                    "expected holds a number without end.",
                    "Write a smaller number.",
                )

    def _example(self, examples: ReadExamples, file: str, code: str, message: str, fix: str) -> None:
        content = examples.files[file]
        locate = len(self.problems) < MAX_PROBLEMS
        self.problems.append(
            example_problem(file, content, ("expected",), code, message, fix, Severity.ERROR, locate=locate)
        )

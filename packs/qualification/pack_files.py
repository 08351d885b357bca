"""Reads the files of a pack into a draft: rules L01-L14 and the schema stage (format, sections 2 and 4.2)."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from packs.documents import reading
from packs.documents.reading import ParsedFile, UnreadableFile
from packs.qualification import schemas
from packs.qualification.draft import CORPUS_ARTIFACTS, CaseLine, PackUnderCheck
from packs.qualification.schema import Spec

RUBRIC_FILES = 500
TEXTS = {"qualification_policy": "policy"}


def read_manifest(draft: PackUnderCheck) -> bool:
    draft.files["manifest"] = "pack.yaml"
    if not draft.folder.is_dir():
        draft.add_file(
            "L01", "no_such_folder", str(draft.folder), "There is no such pack folder.", "Check the path."
        )
        return False
    file = draft.folder / "pack.yaml"
    try:
        document = reading.read_yaml(reading.decode(reading.read_bytes(file, reading.YAML_BYTES)))
    except FileNotFoundError:
        draft.add_file(
            "L02",
            "no_manifest",
            "pack.yaml",
            "The folder has no pack.yaml, so it is no qualification pack.",
            "Choose the folder that holds pack.yaml.",
        )
        return False
    except UnreadableFile as error:
        draft.add_file(
            "L03", error.code, "pack.yaml", error.message, error.fix, line=error.line, column=error.column
        )
        return False
    _accept(draft, "manifest", "pack.yaml", document, schemas.MANIFEST)
    return True


def _accept(draft: PackUnderCheck, name: str, file: str, document: ParsedFile, spec: Spec) -> None:
    """Keep the document and tell its schema faults and duplicate keys."""
    draft.documents[name] = document
    draft.files[name] = file
    for fault in spec.faults(document.value, ()):
        draft.faulty.setdefault(name, []).append(fault.field)
        subject = ".".join([file, *map(str, fault.path)])
        draft.add(
            "schema",
            f"schema_{fault.keyword}",
            subject,
            (name, fault.field),
            fault.message,
            fault.fix,
            keyword=fault.keyword,
        )
    for path in document.duplicates:
        draft.add(
            "own",
            "duplicate_key",
            file,
            (name, path),
            f"'{path[-1]}' is written twice here; the later one counts.",
            "Remove one of the two.",
            warning=True,
        )


def _locate(draft: PackUnderCheck, artifact: str) -> tuple[str, Path] | None:
    """Declared path and file of an artifact; tells when it leaves the folder. None when it cannot be used."""
    declared = draft.section("manifest", "artifacts", artifact)
    if not isinstance(declared, str) or not declared:
        return None
    draft.files[artifact] = declared
    absolute = PurePosixPath(declared).is_absolute() or PureWindowsPath(declared).is_absolute()
    file = draft.folder / declared
    try:
        leaves = absolute or "\0" in declared or not file.resolve().is_relative_to(draft.folder.resolve())
    except (OSError, RuntimeError, ValueError):
        leaves = True
    if leaves:
        draft.add(
            "own",
            "outside_folder",
            f"pack.yaml.artifacts.{artifact}",
            ("manifest", ("artifacts", artifact)),
            f"'{declared}' lies outside the pack folder.",
            "Copy the file into the pack and write its path from there.",
        )
        return None
    return declared, file


def _text_of(draft: PackUnderCheck, rule: str, declared: str, file: Path, limit: int) -> str | None:
    try:
        return reading.decode(reading.read_bytes(file, limit))
    except UnreadableFile as error:
        draft.add_file(rule, error.code, declared, error.message, error.fix, line=error.line)
        return None


def _missing(draft: PackUnderCheck, rule: str, declared: str, artifact: str) -> None:
    what = TEXTS.get(artifact, artifact)
    draft.add_file(
        rule,
        "file_missing",
        declared,
        f"The {what} file '{declared}' is not there.",
        f"Restore it, or correct artifacts.{artifact} in pack.yaml.",
    )


def read_artifact(draft: PackUnderCheck, artifact: str, spec: Spec) -> None:
    located = _locate(draft, artifact)
    if located is None:
        return
    declared, file = located
    if not file.exists():
        _missing(draft, "L04", declared, artifact)
        return
    text = _text_of(draft, "L05", declared, file, reading.YAML_BYTES)
    if text is None:
        return
    try:
        document = reading.read_yaml(text)
    except UnreadableFile as error:
        draft.add_file(
            "L05", error.code, declared, error.message, error.fix, line=error.line, column=error.column
        )
        return
    _accept(draft, artifact, declared, document, spec)


def read_methodology(draft: PackUnderCheck) -> None:
    located = _locate(draft, "methodology")
    if located is None:
        return
    declared, file = located
    if not file.exists():
        _missing(draft, "L06", declared, "methodology")
        return
    text = _text_of(draft, "L06", declared, file, reading.TEXT_BYTES)
    if text is None:
        return
    if not text.strip():
        draft.add_file(
            "L07",
            "methodology_blank",
            declared,
            "The methodology is blank.",
            "Say how the thresholds were chosen.",
        )
        return
    draft.methodology = text


def read_rubrics(draft: PackUnderCheck) -> None:
    located = _locate(draft, "rubrics")
    if located is None:
        draft.unnamed_rubrics = True
        return
    declared, folder = located
    if not folder.is_dir():
        draft.unnamed_rubrics = True
        draft.add_file(
            "L08",
            "no_rubrics_folder",
            declared,
            f"The rubrics folder '{declared}' is not there.",
            "Restore it, or correct artifacts.rubrics in pack.yaml.",
        )
        return
    files = [*sorted(folder.glob("*.yaml")), *sorted(folder.glob("*.yml"))][:RUBRIC_FILES]
    if not files:
        draft.unnamed_rubrics = True
        draft.add_file(
            "L09",
            "no_rubric_file",
            declared,
            "The rubrics folder holds no rubric.",
            "Add one .yaml file a rubric.",
        )
    for file in files:
        _read_rubric(draft, file, f"{declared.rstrip('/')}/{file.name}")


def _read_rubric(draft: PackUnderCheck, file: Path, shown: str) -> None:
    shown = str(PurePosixPath(shown))
    try:
        if not file.resolve().is_relative_to(draft.folder.resolve()):
            raise UnreadableFile(
                "The file leads outside the pack folder.", "Copy it into the pack.", code="outside_folder"
            )
        document = reading.read_yaml(reading.decode(reading.read_bytes(file, reading.YAML_BYTES)))
    except (UnreadableFile, FileNotFoundError) as error:
        draft.unnamed_rubrics = True
        if isinstance(error, FileNotFoundError):
            error = UnreadableFile(
                "The file cannot be followed.", "Remove the broken link.", code="file_missing"
            )
        draft.add_file("L10", error.code, shown, error.message, error.fix, line=error.line, column=error.column)
        return
    name = f"rubric:{shown}"
    _accept(draft, name, shown, document, schemas.RUBRIC)
    identity = draft.section(name, "rubric", "id")
    if not isinstance(identity, str) or not identity:
        draft.unnamed_rubrics = True
    elif identity in draft.rubrics:
        draft.add(
            "L11",
            "rubric_id_twice",
            shown,
            (name, ("rubric", "id")),
            f"The rubric id '{identity}' is also used in {draft.rubrics[identity][0]}.",
            "Give each rubric its own id.",
        )
    else:
        draft.rubrics[identity] = (shown, document)


def read_corpus(draft: PackUnderCheck, corpus: str) -> None:
    artifact = CORPUS_ARTIFACTS[corpus]
    located = _locate(draft, artifact)
    draft.whole[corpus] = False
    if located is None:
        return
    declared, file = located
    if not file.exists():
        _missing(draft, "L12", declared, artifact)
        return
    text = _text_of(draft, "L14", declared, file, reading.CORPUS_BYTES)
    if text is None:
        return
    if not text.strip():
        draft.add_file("L13", "corpus_blank", declared, "The corpus file is blank.", "Add one case a line.")
        return
    whole = True
    lines: list[CaseLine] = []
    for number, line in reading.json_lines(text):
        if len(lines) >= reading.CORPUS_LINES:
            draft.add_file(
                "L14",
                "too_many_cases",
                declared,
                f"The corpus holds more than {reading.CORPUS_LINES:,} lines.",
                "Split the pack.",
            )
            whole = False
            break
        case = _read_case(draft, corpus, declared, number, line)
        whole = whole and case is not None and case.sound
        if case is not None:
            lines.append(case)
    draft.cases[corpus] = lines
    draft.whole[corpus] = whole


def _read_case(draft: PackUnderCheck, corpus: str, declared: str, number: int, line: str) -> CaseLine | None:
    subject = f"{declared}:{number}"
    try:
        value, twice = reading.read_json_line(line)
    except UnreadableFile as error:
        column, fix = error.column, error.fix
        if line.startswith("\ufeff"):
            column, fix = 1, "Save the file as UTF-8 without byte-order mark."
        draft.add_file(
            "L14", error.code, declared, error.message, fix, subject=subject, line=number, column=column
        )
        return None
    faults = list(schemas.CASE.faults(value, ()))
    record = value if isinstance(value, dict) else {}
    case = CaseLine(corpus, declared, number, line, record, not faults)
    for fault in faults:
        draft.add_case(
            "schema",
            f"schema_{fault.keyword}",
            ".".join([subject, *map(str, fault.path)]),
            case,
            fault.field,
            fault.message,
            fault.fix,
            keyword=fault.keyword,
        )
    for key in twice:
        draft.add_case(
            "own",
            "duplicate_key",
            subject,
            case,
            (),
            f"'{key}' is written twice in one object; the later one counts.",
            "Remove one of the two.",
            warning=True,
        )
    return case

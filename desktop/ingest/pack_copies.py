"""Packs that are put into the person's documents: a sample as a copy, a zip unpacked.

Everything is written into a hidden folder beside the target and renamed at the end, so there is never half a
pack. Nothing that is there already is touched: a taken name gets a number.
"""

from __future__ import annotations

import io
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from desktop.ingest.limits import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, MAX_ZIP_ENTRIES
from packs.documents.atomic import write_atomically
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError

MANIFESTS = ("task.yaml", "pack.yaml")
"""Of a task pack and of a qualification pack; a folder with both is a task pack first."""
_ZIP_TIME = (2000, 1, 1, 0, 0, 0)
"""In every zip, so that the same pack is the same file."""
MAX_DEPTH = 12
_BLOCK = 1 << 20


def copy_sample(sample: Traversable, documents: Path) -> Path:
    """Copy a sample pack into `documents`. Returns its folder. Raises AppError when it cannot be written."""
    temporary = _temporary_folder(documents)
    try:
        _copy(sample, temporary)
        return _take_name(temporary, documents, sample.name)
    except OSError as error:
        raise _not_written(documents, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def unpack_pack(archive_file: Path, documents: Path) -> Path:
    """Unpack a zipped pack into `documents`. Returns the folder with its `task.yaml` or `pack.yaml`.

    Every entry is checked before anything is written. Raises AppError: 'damaged', 'unsafe_zip', 'too_large',
    'protected', 'no_pack', 'not_written'.
    """
    try:
        with opened_zip(archive_file, MAX_ZIP_ENTRIES) as archive:
            entries = _checked(archive_file.name, archive)
            root = _root(archive_file.name, [name for name, _ in entries])
            temporary = _temporary_folder(documents)
            try:
                _extract(archive, entries, root, temporary, archive_file.name)
                return _take_name(temporary, documents, root.name or archive_file.stem)
            except OSError as error:
                raise _not_written(documents, error) from None
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    except (*ZIP_FAULTS, ValueError) as error:
        raise AppError(
            f"{archive_file.name} is damaged: {error}.", "Make the zip file again.", code="damaged"
        ) from None
    except OSError as error:
        raise AppError(
            f"{archive_file.name} could not be read: {error.strerror or error}.",
            "Look whether it is still there.",
            code="unreadable",
        ) from None


def write_zip(target: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """A zip that `unpack_pack` reads: the files in a folder called `name`, always with the same bytes.

    Returns `target`. Raises AppError when it cannot be written; then nothing half-written is left.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            info = zipfile.ZipInfo(f"{name}/{path}", _ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[path])
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content.getvalue())
    except OSError as error:
        raise _not_written(target, error) from None
    return target


Entries = list[tuple[PurePosixPath, zipfile.ZipInfo]]


def _checked(name: str, archive: zipfile.ZipFile) -> Entries:
    infos = archive.infolist()
    if sum(info.file_size for info in infos) > MAX_UNPACKED_BYTES:
        raise _too_large(name)
    entries: Entries = []
    seen: set[str] = set()
    for info in infos:
        if info.is_dir():
            continue
        if info.flag_bits & 1:
            raise AppError(
                f"{name} is protected with a password.", "Save a copy without a password.", code="protected"
            )
        path = PurePosixPath(info.filename)
        mode = info.external_attr >> 16
        unsafe = (
            path.is_absolute()
            or ".." in path.parts
            or any(sign in info.filename for sign in ("\\", "\x00", ":"))
            or len(path.parts) > MAX_DEPTH
            or (mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode) != 0)
        )
        folded = str(path).casefold()
        if unsafe or folded in seen:
            raise AppError(
                f"{name} holds “{info.filename[:120]}”, which could be written outside the pack's folder or "
                "over another file.",
                "Nothing was unpacked. Ask the sender for a plain zip of the folder.",
                code="unsafe_zip",
            )
        seen.add(folded)
        entries.append((path, info))
    return entries


def _root(name: str, paths: list[PurePosixPath]) -> PurePosixPath:
    """The folder inside the zip that holds the pack: the top, or one folder below it."""
    roots: list[PurePosixPath] = []
    for manifest in MANIFESTS:
        roots = roots or sorted(
            {path.parent for path in paths if path.name == manifest and len(path.parts) <= 2}
        )
    if not roots:
        raise AppError(
            f"There is no task.yaml or pack.yaml in {name}.", "Choose the zip file of a pack.", code="no_pack"
        )
    if len(roots) > 1:
        raise AppError(
            f"{name} holds {len(roots)} packs.", "Unpack it and open one of the folders.", code="several_packs"
        )
    return roots[0]


def _extract(archive: zipfile.ZipFile, entries: Entries, root: PurePosixPath, target: Path, name: str) -> None:
    left = MAX_UNPACKED_BYTES
    for path, info in entries:
        if root.parts and path.parts[: len(root.parts)] != root.parts:
            continue
        file = target.joinpath(*path.parts[len(root.parts) :])
        file.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(info) as source, file.open("xb") as sink:
            # The sizes in the list may lie, so what really comes is counted.
            size = 0
            while block := source.read(_BLOCK):
                size += len(block)
                left -= len(block)
                if size > MAX_FILE_BYTES or left < 0:
                    raise _too_large(name)
                sink.write(block)


def _copy(source: Traversable, target: Path) -> None:
    for entry in source.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                (target / entry.name).mkdir()
                _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())


def _temporary_folder(documents: Path) -> Path:
    try:
        documents.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=".unpacking-", dir=documents))
    except OSError as error:
        raise _not_written(documents, error) from None


def _take_name(folder: Path, documents: Path, name: str) -> Path:
    """Rename to the first free of 'name', 'name 2', 'name 3' … ."""
    folder.chmod(0o755)
    for number in range(1, 1000):
        target = documents / (name if number == 1 else f"{name} {number}")
        if not target.exists():
            return folder.rename(target)
    raise AppError(
        f"There are too many copies of {name} in {documents}.", "Remove some of them.", code="not_written"
    )


def _too_large(name: str) -> AppError:
    return AppError(
        f"{name} would unpack to more than {MAX_UNPACKED_BYTES // 2**20} MiB.",
        "Nothing was unpacked. A pack is far smaller.",
        code="too_large",
    )


def _not_written(documents: Path, error: OSError) -> AppError:
    return AppError(
        f"{documents} cannot be written: {error.strerror or error}.",
        "Free some space there, or change the folder's rights.",
        code="not_written",
    )

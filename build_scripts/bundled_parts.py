"""What is in the one-file program, and whether the list of licences in it names all of that.

python build_scripts/bundled_parts.py build/dist/packbench     # in the environment that built it
"""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from build_scripts.system_parts import system_part_of  # noqa: E402
from desktop.foundation.frozen.deferred_packages import ARCHIVE, FOLDER  # noqa: E402

INDEX = ROOT / "resources" / "licences" / "index.json"
OURS = frozenset(("desktop", "packs", "resources"))
NOT_SEEN = {
    "smollm2-135m-instruct": "lies beside the program, not inside",
    "llama.cpp": "inside the engine's library",
    "pyinstaller": "its start program is the beginning of the file",
    "python": "is what everything runs in",
    "pycparser": "asked for by cffi, needed only where that makes new modules",
}
"""Parts of the list that cannot be found by the name of a module or library, and why they are listed."""
_PACKAGER = re.compile(r"^(_?pyi|_pyinstaller|struct$)")


@dataclass(frozen=True, slots=True)
class Contents:
    """distributions: top-level package -> distribution it came with; None: nobody knows.

    libraries: file names of shared libraries that lie in no package's folder. unpacked_bytes and
    unpacked_files: what every start writes.
    """

    distributions: Mapping[str, str | None]
    libraries: tuple[str, ...]
    unpacked_bytes: int
    unpacked_files: int


def contents_of(program: Path) -> Contents:
    """Read the program's own table of contents. To be called where the packager is installed."""
    from PyInstaller.archive.readers import CArchiveReader

    reader = CArchiveReader(str(program))
    names: set[str] = set()
    modules: set[str] = set()
    size = count = 0
    for name, (_, _, length, _, kind) in reader.toc.items():
        if kind == "z":
            modules |= {module.split(".")[0] for module in reader.open_embedded_archive(name).toc}
        elif kind in ("b", "x", "Z"):
            size, count = size + length, count + 1
            names.add(name.replace("\\", "/"))
            if name == f"{FOLDER}/{ARCHIVE}":
                with zipfile.ZipFile(io.BytesIO(reader.extract(name))) as archive:
                    names |= set(archive.namelist())
    libraries = {name for name in names if re.search(r"\.(so|pyd|dll|dylib)(\.|$)", name)}
    modules |= {name.split("/")[0] for name in libraries if "/" in name}
    # An extension module at the top is a module by its own name, such as _cffi_backend.
    extensions = {name for name in libraries if "/" not in name and re.search(r"\.(cpython|abi3)[-.]", name)}
    modules |= {name.split(".")[0] for name in extensions if not name.startswith("lib")}
    plain = {name.rsplit("/", 1)[-1] for name in libraries - extensions if _of_no_module(name)}
    return Contents(owners(modules), tuple(sorted(plain)), size, count)


def _of_no_module(name: str) -> bool:
    """At the top, or among Qt's: ICU lies there and is nobody's of Qt."""
    file = name.rsplit("/", 1)[-1]
    return ("/" not in name and not file.startswith("libpython")) or file.startswith("libicu")


def owners(modules: Iterable[str]) -> dict[str, str | None]:
    """Which distribution each package came with, without Python's own, ours and the packager's."""
    known = metadata.packages_distributions()
    found: dict[str, str | None] = {}
    for module in sorted(modules):
        own = module in sys.stdlib_module_names or module in OURS or _PACKAGER.match(module)
        if own or module.startswith(("python3", "_sysconfigdata", "lib-dynload")):
            continue
        found[module] = next(iter(known.get(module, ())), None)
    return found


def unlisted(contents: Contents, listed: Iterable[str]) -> list[str]:
    """One sentence for each part of the program that has no licence in the list."""
    names = {_plain(name) for name in listed}
    reported: list[str] = []
    for module, distribution in contents.distributions.items():
        if distribution is None:
            reported.append(f"Nobody knows where the package {module} comes from.")
        elif _plain(distribution) not in names:
            reported.append(
                f"{distribution} (package {module}) is in the program but not in the list of licences."
            )
    for library in _system_libraries(contents):
        part = system_part_of(library)
        if part is None:
            reported.append(f"{library} is in the program, but build_scripts/system_parts.py does not know it.")
        elif _plain(part.name) not in names:
            reported.append(f"{part.name} ({library}) is in the program but not in the list of licences.")
    return reported


def superfluous(contents: Contents, listed: Iterable[str]) -> list[str]:
    """One sentence for each part of the list that is not in the program. Another system may bring fewer."""
    parts = [system_part_of(library) for library in _system_libraries(contents)]
    seen = {_plain(part.name) for part in parts if part is not None} | set(NOT_SEEN)
    seen |= {_plain(name) for name in contents.distributions.values() if name is not None}
    gone = {_plain(name) for name in listed} - seen
    return [f"{name} is in the list of licences but not in the program." for name in sorted(gone)]


def _system_libraries(contents: Contents) -> list[str]:
    qt = ("libQt6", "libpyside6", "libshiboken6")
    return [library for library in contents.libraries if not library.startswith(qt)]


def _plain(name: str) -> str:
    return re.sub(r"[-_]+", "-", name).lower()


def listed_parts() -> list[str]:
    return [entry["name"] for entry in json.loads(INDEX.read_text("utf-8"))]


def from_record(record: Mapping[str, object]) -> Contents:
    """Contents as `asdict` and JSON made them."""
    distributions, libraries = record["distributions"], record["libraries"]
    assert isinstance(distributions, dict) and isinstance(libraries, list)
    return Contents(distributions, tuple(libraries), 0, 0)


def record_of(contents: Contents) -> dict[str, object]:
    """For a file that tests read: what, without how large."""
    record = asdict(contents)
    return {key: record[key] for key in ("distributions", "libraries")}


def main() -> int:
    contents = contents_of(Path(sys.argv[1]))
    reported = [*unlisted(contents, listed_parts()), *superfluous(contents, listed_parts())]
    print(json.dumps(record_of(contents), indent=1))
    for sentence in reported:
        print(sentence, file=sys.stderr)
    return 1 if reported else 0


if __name__ == "__main__":
    sys.exit(main())

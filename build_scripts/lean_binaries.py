"""Smaller copies of libraries for the one-file program: what is not there need not be unpacked at every start.

Called by `app.spec`. Every copy is tried; where the system cannot load it, the original is taken. Nothing is
changed where a tool is missing or a file is not as expected.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from desktop.foundation.frozen.deferred_packages import ARCHIVE, FOLDER, INDEX, RESOURCES
from desktop.foundation.resource_files import SAMPLES

Entry = tuple[str, str, str]
"""Place in the unpacked folder, source file, kind: as the packager lists what it takes."""

STRIPPED = (
    "libpython",
    "python3.",
    "lib-dynload/",
    "xllamacpp/",
    "cryptography/",
    "regex/",
    "yaml/",
    "rpds/",
    "psutil/",
)
"""Beginnings of the places of libraries that have symbols for debugging. Not everything is stripped: some
libraries (numpy's are known) do not survive it."""
WORTH_BYTES = 50_000

ICU_LEFT_OUT = ("brkitr/", "curr/", "lang/", "rbnf/", "region/", "translit/", "unit/", "zone/")
"""Folders of ICU's data that Qt never reads. Left are the rules of sorting, encodings, the tables of time zones
and the roots of all languages."""

LATER = frozenset(
    (
        *("xllamacpp", "cryptography", "_cffi_backend", "lxml", "docx", "certifi"),
        *("pydantic_core", "regex", "rpds", "yaml", "jsonschema", "jsonschema_specifications"),
        *("_codecs_cn", "_codecs_hk", "_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw"),
        *("_multibytecodec", "_elementtree", "pyexpat"),
    )
)
"""Modules whose files are unpacked when they are imported; see `foundation/frozen/deferred_packages.py`.
Nothing that is imported before the program's own first lines: the packager's start code wants `_ctypes`,
`multiprocessing`."""

_COMMON_DATA = b"CmnD"


def stripped(entries: Iterable[Entry], work: Path) -> list[Entry]:
    """With copies without symbols for debugging in the place of the libraries that have some."""
    return [_replaced(entry, _strip, work / "stripped") if _has_symbols(entry) else entry for entry in entries]


def _has_symbols(entry: Entry) -> bool:
    return sys.platform == "linux" and entry[2] != "SYMLINK" and place(entry).startswith(STRIPPED)


def without_unused_icu_data(entries: Iterable[Entry], work: Path) -> list[Entry]:
    """With a copy of ICU's data library that holds only what Qt reads."""
    return [
        _replaced(entry, _smaller_icu, work / "icu")
        if sys.platform == "linux" and entry[2] != "SYMLINK" and Path(entry[0]).name.startswith("libicudata.so")
        else entry
        for entry in entries
    ]


def packed_for_later(entries: Iterable[Entry], work: Path) -> list[Entry]:
    """The same, with archives and their index in the place of what can wait."""
    now: list[Entry] = []
    parts: list[tuple[str, Entry]] = []
    resources: list[Entry] = []
    for entry in entries:
        name = part_of(entry)
        if entry[2] == "SYMLINK":
            now.append(entry)
        elif place(entry).startswith("resources/"):
            resources.append(entry)
        elif name is not None:
            parts.append((name, entry))
        else:
            now.append(entry)
    work.mkdir(parents=True, exist_ok=True)
    parts.sort()
    index = "".join(f"{name}\t{place(entry)}\n" for name, entry in parts)
    (work / INDEX).write_text(index, encoding="utf-8")
    _pack(work / ARCHIVE, {place(entry): Path(entry[1]) for _, entry in parts})
    _pack(work / RESOURCES, {place(entry).split("/", 1)[1]: Path(entry[1]) for entry in sorted(resources)})
    return now + [(f"{FOLDER}/{name}", str(work / name), "DATA") for name in (INDEX, ARCHIVE, RESOURCES)]


def part_of(entry: Entry) -> str | None:
    """The name under which a file is unpacked later; None for one that is unpacked at every start."""
    where = place(entry)
    if where.startswith(f"{SAMPLES}/"):
        return SAMPLES
    folder, _, rest = where.partition("/")
    # An extension module lies at the top or among Python's own; its name ends at the first dot.
    module = folder if rest and "lib-dynload/" not in where else where.rsplit("/", 1)[-1].split(".")[0]
    return module if module in LATER else None


def _pack(file: Path, members: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in members.items():
            # A fixed date: the same files make the same archive.
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, source.read_bytes(), compresslevel=9)


def place(entry: Entry) -> str:
    return entry[0].replace("\\", "/")


def _replaced(entry: Entry, make: Callable[[Path, Path], bool], folder: Path) -> Entry:
    source = Path(entry[1])
    copy = folder / place(entry)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not make(source, copy) or copy.stat().st_size + WORTH_BYTES > source.stat().st_size:
        return entry
    if loads(source) and not loads(copy):
        print(f"The smaller copy of {place(entry)} does not load; the original is taken.")
        return entry
    return (entry[0], str(copy), entry[2])


def loads(library: Path) -> bool:
    """Does the system load it, every name it needs resolved? In a process of its own: it may crash."""
    code = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)"
    return not _run([sys.executable, "-c", code, str(library)])


def _strip(source: Path, copy: Path) -> bool:
    tool = shutil.which("strip")
    return tool is not None and not _run([tool, "--strip-unneeded", "-o", str(copy), str(source)])


def _run(command: Sequence[str], cwd: Path | None = None) -> int:
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False).returncode


def _smaller_icu(source: Path, copy: Path) -> bool:
    """Link the smaller data anew under the old name."""
    tools = [shutil.which(name) for name in ("ld", "objcopy")]
    found = common_data(source.read_bytes())
    if found is None or not all(tools):
        return False
    symbol, data = found
    smaller = without_items(data, ICU_LEFT_OUT)
    if smaller is None:
        return False
    folder = copy.parent
    (folder / "data").write_bytes(smaller)
    linker, objcopy = (str(tool) for tool in tools)
    section = ".data=.rodata,alloc,load,readonly,data,contents"
    steps = (
        [linker, "-r", "-b", "binary", "-z", "noexecstack", "-o", "data.o", "data"],
        [objcopy, "--rename-section", section, "--set-section-alignment", ".data=16", "data.o"],
        [objcopy, "--redefine-sym", f"_binary_data_start={symbol}", "data.o"],
        [objcopy, "--strip-symbol", "_binary_data_end", "--strip-symbol", "_binary_data_size", "data.o"],
        [linker, "-shared", "-z", "noexecstack", "-soname", source.name, "-o", copy.name, "data.o"],
    )
    return not any(_run(step, folder) for step in steps)


def common_data(library: bytes) -> tuple[str, bytes] | None:
    """(name of the symbol, data) of an ICU data library; None when it is none. Layout: ICU's `ucmndata.h`."""
    name = re.search(rb"\0(icudt\d+_dat)\0", library)
    at = library.find(_COMMON_DATA)
    while name is not None and at >= 0:
        start = at - 12
        if start >= 0:
            header, first, second = struct.unpack_from("<HBB", library, start)
            if (first, second) == (0xDA, 0x27) and 24 <= header <= 4096:
                return name[1].decode("ascii"), library[start:]
        at = library.find(_COMMON_DATA, at + 1)
    return None


def without_items(data: bytes, left_out: Sequence[str]) -> bytes | None:
    """The same table of contents without the items below these folders; None when it is not understood.

    data: header, then a count, then pairs (place of the name, place of the item) counted from there, sorted by
    name; after the last item anything may follow, so that one is kept to its page's end at most.
    """
    header = struct.unpack_from("<H", data)[0]
    (count,) = struct.unpack_from("<I", data, header)
    if not 0 < count < 100_000:
        return None
    pairs = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    starts = [start for _, start in pairs]
    if starts != sorted(starts) or header + starts[-1] > len(data):
        return None
    names = [data[header + at : data.index(b"\0", header + at)] for at, _ in pairs]
    ends = [*starts[1:], len(data) - header]
    kept = [
        (name, data[header + start : header + end])
        for name, start, end in zip(names, starts, ends, strict=True)
        if not name.partition(b"/")[2].decode("ascii").startswith(tuple(left_out))
    ]
    table = bytearray(struct.pack("<I", len(kept)))
    texts = bytearray()
    text_start = 4 + 8 * len(kept)
    offsets = []
    for name, _ in kept:
        offsets.append(text_start + len(texts))
        texts += name + b"\0"
    body = bytearray()
    # Items are read as tables of wide numbers: each begins at a multiple of 16, counted with the header.
    body_start = text_start + len(texts)
    body_start += -(header + body_start) % 16
    for at, (_, item) in zip(offsets, kept, strict=True):
        body += b"\0" * (-len(body) % 16)
        table += struct.pack("<II", at, body_start + len(body))
        body += item
    gap = b"\0" * (body_start - text_start - len(texts))
    return bytes(data[:header] + table + texts + gap + body)

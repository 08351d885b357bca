"""Gathers the licence texts of everything the program brings along into `resources/licences`.

    .venv-build/bin/python build_scripts/collect_licences.py      # where `dev.py build` installed everything

Writes one text file for each distribution and `index.json`. Ends with 1 and names them when a distribution is
not installed in the locked version or has no licence text. Texts of system libraries are Debian's.
"""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from build_scripts.system_parts import SYSTEM_PARTS, copyright_of, version_here  # noqa: E402

OUT = ROOT / "resources" / "licences"
TEXTS = OUT / "texts"
_LOCKED = re.compile(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)")
_FILES = re.compile(r"^(licen[cs]es?|copying|notice)([._-].*)?$", re.IGNORECASE)
_SHORT = {"BSD": "BSD-3-Clause", "PSFL": "PSF-2.0"}
_CLASSIFIED = {"MIT License": "MIT", "BSD License": "BSD-3-Clause"}
"""What an older way of telling it, the classifiers, calls them."""
# Qt and its Python binding come without a text of their own; used under the LGPL, linked dynamically.
_BY_HAND = {
    "pyside6-essentials": ("LGPL-3.0-only", ("LGPL-3.0.txt", "GPL-3.0.txt")),
    "shiboken6": ("LGPL-3.0-only", ("LGPL-3.0.txt", "GPL-3.0.txt")),
}
_STAYS = ("pyinstaller",)
"""Of what makes the program: its start program is the beginning of the file."""
# Wrapped by the window that shows it.
_SYSTEM_NOTE = (
    "This library is part of the one-file program for Linux: the Debian system on which that is built brings "
    "it along, or Qt does. What follows is what Debian says about its licence. It speaks of the whole source, "
    "of which only the library is used.\n\n"
)
_QT_NOTE = (
    "Qt and Qt for Python are used under the GNU Lesser General Public License, version 3. They are separate\n"
    "libraries that can be exchanged for other builds of the same version; their source is published by The\n"
    "Qt Company.\n\n"
)


def main() -> int:
    missing: list[str] = []
    index = [_own("Python", sys.version.split()[0], "PSF-2.0", _python_text())]
    apache = (ROOT / "LICENSE").read_text("utf-8")
    index.append(_own("SmolLM2-135M-Instruct", "Q4_1", "Apache-2.0", _model_text(apache)))
    index.append(_own("llama.cpp", _engine_version(), "MIT", (TEXTS / "llama.cpp.txt").read_text("utf-8")))
    for part in SYSTEM_PARTS:
        text = copyright_of(part, TEXTS)
        if not text:
            missing.append(f"{part.name} has no licence text here: install the package {part.package}")
            continue
        index.append(_own(part.name, version_here(part), part.licence, _SYSTEM_NOTE + text))
    for name, version in (*locked(), *locked("binary")):
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            missing.append(f"{name} {version} is not installed")
            continue
        if distribution.version != version:
            missing.append(f"{name} is installed as {distribution.version}, locked is {version}")
            continue
        text = licence_text(name, distribution)
        if not text.strip():
            missing.append(f"{name} has no licence text")
            continue
        index.append(_own(name, version, licence_name(name, distribution), text))
    index.sort(key=lambda entry: entry["name"].lower())
    wanted = {entry["file"] for entry in index}
    for old in OUT.glob("*.txt"):
        if old.name not in wanted:
            old.unlink()
    (OUT / "index.json").write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for message in missing:
        print(message)
    print(f"{len(index)} licences in {OUT.relative_to(ROOT)}")
    return 1 if missing else 0


def locked(lock: str = "run") -> list[tuple[str, str]]:
    """(name, version) of every distribution in requirements/run.txt; of another lock what the program keeps."""
    lines = (ROOT / "requirements" / f"{lock}.txt").read_text("utf-8").splitlines()
    found = [(match[1], match[2]) for line in lines if (match := _LOCKED.match(line))]
    return found if lock == "run" else [entry for entry in found if entry[0] in _STAYS]


def licence_name(name: str, distribution: metadata.Distribution) -> str:
    """Short name as SPDX has it, as far as the distribution tells."""
    if name in _BY_HAND:
        return _BY_HAND[name][0]
    if name == "pyinstaller":
        return "GPL-2.0-or-later WITH Bootloader-exception"
    reported = ""
    for field in ("License", "License-Expression"):
        reported = next(iter(distribution.metadata.get_all(field) or []), reported)
    if not reported:
        classes = distribution.metadata.get_all("Classifier") or []
        reported = next((name for each in classes if (name := _CLASSIFIED.get(each.split(" :: ")[-1], ""))), "")
    short = reported.strip().splitlines()[0] if reported.strip() else "see text"
    return _SHORT.get(short, short)


def licence_text(name: str, distribution: metadata.Distribution) -> str:
    if name in _BY_HAND:
        return _QT_NOTE + "\n\n".join((TEXTS / file).read_text("utf-8") for file in _BY_HAND[name][1])
    parts = []
    for file in distribution.files or []:
        inside = file.parts[0].endswith((".dist-info", ".egg-info"))
        if inside and _FILES.match(file.name):
            parts.append(Path(str(file.locate())).read_text("utf-8", errors="replace").strip())
    if not parts and name == "nvidia-ml-py":
        parts.append(_first_comment(distribution, "pynvml.py"))
    return "\n\n".join(dict.fromkeys(part for part in parts if part)) + "\n"


def _first_comment(distribution: metadata.Distribution, module: str) -> str:
    """The licence at the head of a single-file module."""
    for file in distribution.files or []:
        if file.name == module:
            lines = Path(str(file.locate())).read_text("utf-8").splitlines()
            head = []
            for line in lines:
                if not line.startswith("#"):
                    break
                head.append(line.lstrip("#").removeprefix(" "))
            return "\n".join(head).strip()
    return ""


def _python_text() -> str:
    return (Path(sysconfig.get_paths()["stdlib"]) / "LICENSE.txt").read_text("utf-8", errors="replace")


def _model_text(apache: str) -> str:
    return (
        "The starter model SmolLM2-135M-Instruct was made by Hugging Face and is published under the Apache\n"
        "License, version 2.0. It is used as a GGUF file with 4-bit weights.\n\n" + apache
    )


def _engine_version() -> str:
    """The build number of llama.cpp is the last part of the engine package's version."""
    version = next(version for name, version in locked() if name == "xllamacpp")
    return "b" + version.rsplit(".", 1)[-1]


def _own(name: str, version: str, licence: str, text: str) -> dict[str, str]:
    file = f"{name.lower().replace(' ', '-')}.txt"
    # Licences are kept to the letter; only the ends of lines are made alike.
    (OUT / file).write_text(text.replace("\r\n", "\n").rstrip() + "\n", "utf-8", newline="\n")
    return {"name": name, "version": version, "licence": licence, "file": file}


if __name__ == "__main__":
    sys.exit(main())

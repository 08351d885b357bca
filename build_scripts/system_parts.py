"""Libraries of the build system that the packager lays into the program; so their licences come along.

The packager takes what Qt and Python ask for on the system on which the program is built. Which libraries those
are is compared with this table after each build (`bundled_parts.py`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = Path("/usr/share/doc")


@dataclass(frozen=True, slots=True)
class SystemPart:
    """name: as its makers call it. licence: of the library itself, by SPDX.

    package: Debian's, whose copyright file has the licence. libraries: beginnings of file names, up to the dot.
    text: a file in `resources/licences/texts` that the copyright file only refers to. version: where the
    library does not come from the system but with Qt.
    """

    name: str
    licence: str
    package: str
    libraries: tuple[str, ...]
    text: str | None = None
    version: str | None = None


_LGPL = "LGPL-2.1.txt"

SYSTEM_PARTS = (
    SystemPart("brotli", "MIT", "libbrotli1", ("libbrotlicommon", "libbrotlidec")),
    SystemPart("bzip2", "bzip2-1.0.6", "libbz2-1.0", ("libbz2",)),
    SystemPart("com_err", "MIT", "libcom-err2", ("libcom_err",)),
    SystemPart("D-Bus", "AFL-2.1", "libdbus-1-3", ("libdbus-1",)),
    SystemPart("Fontconfig", "HPND", "libfontconfig1", ("libfontconfig",)),
    SystemPart("FreeType", "FTL", "libfreetype6", ("libfreetype",)),
    SystemPart(
        "GCC runtime", "GPL-3.0-or-later WITH GCC-exception-3.1", "libgomp1", ("libgomp",), "GPL-3.0.txt"
    ),
    SystemPart("GLib", "LGPL-2.1-or-later", "libglib2.0-0", ("libglib-2", "libgthread-2"), _LGPL),
    SystemPart(
        "ICU",
        "Unicode-DFS-2016",
        "libicu72",
        ("libicudata", "libicui18n", "libicuuc"),
        version="73",
    ),
    SystemPart("keyutils", "LGPL-2.1-or-later", "libkeyutils1", ("libkeyutils",), _LGPL),
    SystemPart("libbsd", "BSD-3-Clause", "libbsd0", ("libbsd",)),
    SystemPart("libcap", "BSD-3-Clause", "libcap2", ("libcap",)),
    SystemPart("libffi", "MIT", "libffi8", ("libffi",)),
    SystemPart("Libgcrypt", "LGPL-2.1-or-later", "libgcrypt20", ("libgcrypt",), _LGPL),
    SystemPart("Libgpg-error", "LGPL-2.1-or-later", "libgpg-error0", ("libgpg-error",), _LGPL),
    SystemPart("libmd", "BSD-3-Clause", "libmd0", ("libmd",)),
    SystemPart("libpng", "libpng-2.0", "libpng16-16", ("libpng16",)),
    SystemPart("libuuid", "BSD-3-Clause", "libuuid1", ("libuuid",)),
    SystemPart("LZ4", "BSD-2-Clause", "liblz4-1", ("liblz4",)),
    SystemPart(
        "MIT Kerberos",
        "MIT",
        "libkrb5-3",
        ("libgssapi_krb5", "libk5crypto", "libkrb5", "libkrb5support"),
    ),
    SystemPart("OpenSSL", "Apache-2.0", "libssl3", ("libcrypto", "libssl"), "Apache-2.0.txt"),
    SystemPart("PCRE2", "BSD-3-Clause", "libpcre2-8-0", ("libpcre2-8",)),
    SystemPart("SQLite", "blessing", "libsqlite3-0", ("libsqlite3",)),
    SystemPart("systemd", "LGPL-2.1-or-later", "libsystemd0", ("libsystemd",), _LGPL),
    SystemPart(
        "Xlib",
        "X11",
        "libx11-6",
        ("libX11", "libX11-xcb"),
    ),
    SystemPart("libXau", "MIT", "libxau6", ("libXau",)),
    SystemPart("libXdmcp", "MIT", "libxdmcp6", ("libXdmcp",)),
    SystemPart(
        "libxcb",
        "X11",
        "libxcb-randr0",
        (
            *("libxcb-glx", "libxcb-randr", "libxcb-render", "libxcb-shape", "libxcb-shm", "libxcb-sync"),
            *("libxcb-xfixes", "libxcb-xkb"),
        ),
    ),
    SystemPart("xcb-util", "X11", "libxcb-util1", ("libxcb-util",)),
    SystemPart("xcb-util-cursor", "X11", "libxcb-cursor0", ("libxcb-cursor",)),
    SystemPart("xcb-util-image", "X11", "libxcb-image0", ("libxcb-image",)),
    SystemPart("xcb-util-keysyms", "X11", "libxcb-keysyms1", ("libxcb-keysyms",)),
    SystemPart("xcb-util-renderutil", "X11", "libxcb-render-util0", ("libxcb-render-util",)),
    SystemPart("xcb-util-wm", "X11", "libxcb-icccm4", ("libxcb-icccm",)),
    SystemPart("xkbcommon", "MIT", "libxkbcommon0", ("libxkbcommon", "libxkbcommon-x11")),
    SystemPart("XZ Utils", "public domain", "liblzma5", ("liblzma",)),
    SystemPart("zlib", "Zlib", "zlib1g", ("libz",)),
    SystemPart("Zstandard", "BSD-3-Clause", "libzstd1", ("libzstd",)),
)


def system_part_of(library: str) -> SystemPart | None:
    """The part that a file such as `libX11.so.6` belongs to; None for one that the table does not know."""
    stem = re.split(r"\.(?:so|\d)", Path(library).name, maxsplit=1)[0]
    return next((part for part in SYSTEM_PARTS if stem in part.libraries), None)


def version_here(part: SystemPart) -> str:
    """The maker's version on this system, without what Debian adds; empty when it is not there."""
    if part.version is not None:
        return part.version
    tool = shutil.which("dpkg-query")
    if tool is None:
        return ""
    command = [tool, "-W", "-f", "${Version}", part.package]
    reported = subprocess.run(command, capture_output=True, text=True, check=False)
    version = reported.stdout.strip().split(":")[-1].rsplit("-", 1)[0]
    return re.split(r"[+~]", version)[0].removesuffix(".dfsg") if reported.returncode == 0 else ""


def copyright_of(part: SystemPart, texts: Path) -> str:
    """What Debian's package says about the licence, with the whole text of one it only refers to."""
    file = DOCUMENTS / part.package / "copyright"
    if not file.is_file():
        return ""
    reported = file.read_text("utf-8", errors="replace").strip()
    return "\n\n".join([reported, (texts / part.text).read_text("utf-8").strip()] if part.text else [reported])

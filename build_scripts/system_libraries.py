"""Which system libraries Qt and the engine miss on this Linux, and the Debian packages that have them.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from build_scripts.logged_step import logged_step

# Shared object -> Debian and Ubuntu package, for everything that QtWidgets and its xcb, offscreen and
# wayland plugins and the engine ask for and a bare system does not have.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libGLdispatch.so.0": "libglvnd0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgomp.so.1": "libgomp1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}


def missing_objects(packages: Path) -> list[str]:
    """Names of shared objects that Qt and the engine do not find; `packages` is the site-packages folder."""
    pyside = packages / "PySide6"
    platforms = pyside / "Qt" / "plugins" / "platforms"
    parts = [*pyside.glob("QtWidgets*.so"), *(platforms / f"libq{name}.so" for name in ("xcb", "offscreen"))]
    parts += (packages / "xllamacpp").glob("*.so")
    found: set[str] = set()
    for part in parts:
        if part.is_file():
            listing = subprocess.run(["ldd", str(part)], capture_output=True, text=True, check=False).stdout
            found.update(not_found(listing))
    return sorted(found)


def not_found(ldd_output: str) -> list[str]:
    """The names that `ldd` could not resolve."""
    return [line.split()[0] for line in ldd_output.splitlines() if line.strip().endswith("not found")]


def packages_for(objects: Iterable[str]) -> tuple[list[str], list[str]]:
    """(packages to install, objects that no package of the table has), both sorted."""
    wanted, unknown = set(), set()
    for name in objects:
        if name in PACKAGES:
            wanted.add(PACKAGES[name])
        else:
            unknown.add(name)
    return sorted(wanted), sorted(unknown)


def provide(site_packages: Path) -> None:
    """Install what is missing when we may, else stop with the one command that does.

    Does nothing on other systems than Linux with apt. Raises SystemExit with a sentence.
    """
    if not shutil.which("ldd") or not site_packages.is_dir():
        return
    objects = missing_objects(site_packages)
    if not objects:
        return
    packages, unknown = packages_for(objects)
    if not shutil.which("apt-get") or not packages:
        raise SystemExit(
            "Packbench needs system libraries that are not installed: "
            + ", ".join(objects)
            + ". Install them with your system's package manager, then run this again."
        )
    install_packages(packages)
    if unknown:
        raise SystemExit("Packbench also needs: " + ", ".join(unknown) + ". Install them, then run this again.")


def install_packages(packages: list[str]) -> None:
    """As the superuser: install. Otherwise SystemExit with the one command to type."""
    if os.geteuid() != 0:
        raise SystemExit(
            "Some system libraries are missing. Type this once, then run this again:\n\n"
            f"  sudo apt-get install --no-install-recommends {' '.join(packages)}\n"
        )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    update = ["apt-get", "update", "-q"]
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    steps = (("Reading the list of system packages …", update, "apt-update"),
        (f"Installing system libraries: {' '.join(packages)} …", install, "apt-install"))  # fmt: skip
    for title, command, log_name in steps:
        if not logged_step(title, command, log_name, environment=environment):
            raise SystemExit("The system libraries could not be installed; the lines above say why.")

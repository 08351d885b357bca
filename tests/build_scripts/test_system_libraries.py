from build_scripts.system_libraries import not_found, packages_for

LDD = """\tlinux-vdso.so.1 (0x00007ffd)
\tlibGL.so.1 => not found
\tlibxcb-cursor.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
"""


def test_that_objects_ldd_cannot_resolve_are_named() -> None:
    assert not_found(LDD) == ["libGL.so.1", "libxcb-cursor.so.0"]


def test_that_missing_objects_become_packages_and_unknown_ones_are_told() -> None:
    packages, unknown = packages_for(["libGL.so.1", "libgthread-2.0.so.0", "libglib-2.0.so.0", "libodd.so.3"])
    assert packages == ["libgl1", "libglib2.0-0"]
    assert unknown == ["libodd.so.3"]

"""A shell completes what the commands really take."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli.commands import COMMANDS
from desktop.cli.completion import SHELLS
from tests.desktop.cli.conftest import Ran

Packbench = Callable[..., Ran]
ASK = """
source ./script
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_packbench
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_that_the_script_of_each_shell_names_every_command(packbench: Packbench, shell: str) -> None:
    ran = packbench("completion", shell)
    assert ran.code == 0 and not ran.err
    assert [name for name in COMMANDS if name not in ran.out] == []


def test_that_another_shell_is_wrong_usage(packbench: Packbench) -> None:
    ran = packbench("completion", "cmd")
    assert ran.code == 2 and "bash" in ran.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["packbench", "valid"], "validate"),
        (["packbench", "run", "--repet"], "--repetitions"),
        (["packbench", "run", "--out", "scri"], "script"),
        (["packbench", "validate", "scri"], "script"),
        (["packbench", "fit", "x", "--kv-type", "q8"], "q8_0"),
    ],
)
def test_that_bash_completes(packbench: Packbench, tmp_path: Path, typed: list[str], wanted: str) -> None:
    (tmp_path / "script").write_text(packbench("completion", "bash").out, encoding="utf-8")
    ran = subprocess.run(
        ["bash", "-c", ASK, "bash", *typed], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.stdout.split() == [wanted], ran.stderr

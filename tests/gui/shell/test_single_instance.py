"""A second start hands its paths to the window that is open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from desktop.gui.shell.single_instance import MAX_BYTES, FirstWindow, hand_over, read_message, socket_name


def second_start(data_folder: Path, *paths: str) -> subprocess.Popen[str]:
    """In a process of its own, as in life: waiting for the answer blocks the whole of it."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from desktop.gui.shell.single_instance import hand_over\n"
        "print(hand_over(Path(sys.argv[1]), sys.argv[2:]))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, str(data_folder), *paths],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )


def test_that_paths_reach_the_first_window(qtbot: QtBot, tmp_path: Path) -> None:
    first = FirstWindow(tmp_path)
    with qtbot.waitSignal(first.asked, timeout=20_000) as asked:
        started = second_start(tmp_path, "/somewhere/pack")
    qtbot.waitUntil(lambda: started.poll() is not None, timeout=10_000)
    assert asked.args == [["/somewhere/pack"]]
    assert started.communicate()[0] == "True\n"
    first.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no folder for it")
def test_that_a_very_long_temporary_folder_is_no_obstacle(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket's place may have some hundred bytes; a name in another script has up to four each letter."""
    long = tmp_path / ("家" * 40)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    first = FirstWindow(tmp_path)
    with qtbot.waitSignal(first.asked, timeout=20_000) as asked:
        started = second_start(tmp_path, "/somewhere/pack")
    qtbot.waitUntil(lambda: started.poll() is not None, timeout=10_000)
    assert asked.args == [["/somewhere/pack"]]
    assert started.communicate()[0] == "True\n"
    first.close()
    assert not Path(socket_name(tmp_path)).exists()


def test_that_nobody_is_found_where_no_window_is(qtbot: QtBot, tmp_path: Path) -> None:
    assert hand_over(tmp_path, []) is False


def test_that_another_data_folder_is_another_window(tmp_path: Path) -> None:
    assert socket_name(tmp_path / "a") != socket_name(tmp_path / "b")
    assert socket_name(tmp_path / "a") == socket_name(tmp_path / "a")


def test_that_a_socket_left_behind_is_taken_over(qtbot: QtBot, tmp_path: Path) -> None:
    crashed = FirstWindow(tmp_path)
    again = FirstWindow(tmp_path)
    with qtbot.waitSignal(again.asked, timeout=20_000):
        started = second_start(tmp_path)
    qtbot.waitUntil(lambda: started.poll() is not None, timeout=10_000)
    started.communicate()
    crashed.close()
    again.close()


@pytest.mark.parametrize(
    "message", [b"", b"\n", b"{}\n", b"[1]\n", b'"text"\n', b"[" * 50_000 + b"\n", b"\xff\xfe\n"]
)
def test_that_what_is_no_list_of_paths_is_refused(message: bytes) -> None:
    assert read_message(message) is None


def test_that_a_flood_is_cut_off(qtbot: QtBot, tmp_path: Path) -> None:
    first = FirstWindow(tmp_path)
    asked: list[object] = []
    first.asked.connect(asked.append)
    socket = QLocalSocket()
    socket.connectToServer(socket_name(tmp_path))
    assert socket.waitForConnected(1000)
    socket.write(b'["' + b"a" * (2 * MAX_BYTES))
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState, timeout=3000)
    assert asked == []
    first.close()

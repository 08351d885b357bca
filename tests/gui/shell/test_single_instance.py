"""A second start hands its paths to the window that is open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from pytestqt.qtbot import QtBot

from desktop.gui.shell.single_instance import (
    MAX_BYTES,
    SECRET_FILE,
    FirstWindow,
    hand_over,
    proof,
    read_greeting,
    read_message,
    socket_places,
)


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
    with qtbot.waitSignal(first.asked) as asked:
        started = second_start(tmp_path, "/somewhere/pack")
    qtbot.waitUntil(lambda: started.poll() is not None)
    assert asked.args == [["/somewhere/pack"]]
    assert started.communicate()[0] == "True\n"
    first.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no folder for it")
def test_that_a_data_folder_with_a_very_long_name_is_no_obstacle(qtbot: QtBot, tmp_path: Path) -> None:
    """A socket's place may have some hundred bytes; a name in another script has up to four each letter."""
    long = tmp_path / ("家" * 40)
    long.mkdir(mode=0o700)
    first = FirstWindow(long)
    assert not first.place.startswith(str(tmp_path))
    with qtbot.waitSignal(first.asked) as asked:
        started = second_start(long, "/somewhere/pack")
    qtbot.waitUntil(lambda: started.poll() is not None)
    assert asked.args == [["/somewhere/pack"]]
    assert started.communicate()[0] == "True\n"
    place = first.place
    first.close()
    assert not Path(place).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
def test_that_socket_and_secret_lie_where_nobody_else_can_write_or_read(qtbot: QtBot, tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = FirstWindow(data)
    assert (data / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    assert data.stat().st_mode & 0o777 == 0o700
    folder = Path(first.place).parent
    assert folder.stat().st_uid == os.getuid()
    assert not folder.stat().st_mode & 0o022
    first.close()
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert not any(place.startswith(str(shared)) for place in socket_places(shared))


def test_that_a_window_that_does_not_know_the_secret_gets_no_paths(qtbot: QtBot, tmp_path: Path) -> None:
    """Somebody listens at the place of the window and says what he likes."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / SECRET_FILE).write_bytes(b"s" * 32)
    (data / SECRET_FILE).chmod(0o600)
    heard: list[bytes] = []
    server = QLocalServer()
    assert server.listen(socket_places(data)[0])

    def greet() -> None:
        socket = server.nextPendingConnection()

        def read() -> None:
            heard.append(bytes(socket.readAll().data()))
            socket.write(b"ok\n")
            socket.flush()

        socket.readyRead.connect(read)

    server.newConnection.connect(greet)
    started = second_start(data, "/private/notes.txt")
    qtbot.waitUntil(lambda: started.poll() is not None)
    assert started.communicate()[0] == "False\n"
    assert heard
    assert b"notes.txt" not in b"".join(heard)
    server.close()


@pytest.mark.parametrize(
    "greeting",
    [
        b"[]\n",
        b'{"once": "aaaaaaaaaaaaaaaaaaaa"}\n',
        b'{"once": "aaaaaaaaaaaaaaaaaaaa", "proof": "x"}\n',
        b'{"once": 1, "proof": 2}\n',
        b'["/somewhere/pack"]\n',
        b"[" * 50_000 + b"\n",
    ],
)
def test_that_a_start_that_proves_nothing_is_cut_off(qtbot: QtBot, tmp_path: Path, greeting: bytes) -> None:
    first = FirstWindow(tmp_path)
    asked: list[object] = []
    first.asked.connect(asked.append)
    socket = QLocalSocket()
    socket.connectToServer(first.place)
    assert socket.waitForConnected(10_000)
    socket.write(greeting)
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert asked == []
    first.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
def test_that_a_secret_that_others_can_read_is_none_and_is_made_anew(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / SECRET_FILE).write_bytes(b"s" * 32)
    (tmp_path / SECRET_FILE).chmod(0o644)
    assert hand_over(tmp_path, []) is False
    first = FirstWindow(tmp_path)
    assert (tmp_path / SECRET_FILE).read_bytes() != b"s" * 32
    assert (tmp_path / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    first.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such folder")
def test_that_a_data_folder_that_cannot_be_written_has_its_secret_where_the_system_keeps_such(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    (tmp_path / "data").write_text("no folder")
    first = FirstWindow(tmp_path / "data")
    assert [file.suffix for file in runtime.iterdir() if file.is_file()] == [".secret"]
    first.close()


def test_that_a_proof_is_good_for_its_own_time_alone() -> None:
    secret, once = b"s" * 32, "a" * 32
    good = {"once": once, "proof": proof(secret, "start", once)}
    assert read_greeting(json.dumps(good).encode(), secret) == once
    assert read_greeting(json.dumps({**good, "once": "b" * 32}).encode(), secret) is None
    assert read_greeting(json.dumps({**good, "proof": proof(secret, "window", once)}).encode(), secret) is None
    assert read_greeting(json.dumps(good).encode(), None) is None


def test_that_nobody_is_found_where_no_window_is(qtbot: QtBot, tmp_path: Path) -> None:
    assert hand_over(tmp_path, []) is False


def test_that_another_data_folder_is_another_window(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir(mode=0o700)
    assert not set(socket_places(tmp_path / "a")) & set(socket_places(tmp_path / "b"))
    assert socket_places(tmp_path / "a") == socket_places(tmp_path / "a")


def test_that_a_socket_left_behind_is_taken_over(qtbot: QtBot, tmp_path: Path) -> None:
    crashed = FirstWindow(tmp_path)
    again = FirstWindow(tmp_path)
    with qtbot.waitSignal(again.asked):
        started = second_start(tmp_path)
    qtbot.waitUntil(lambda: started.poll() is not None)
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
    socket.connectToServer(first.place)
    assert socket.waitForConnected(1000)
    socket.write(b'["' + b"a" * (2 * MAX_BYTES))
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert asked == []
    first.close()

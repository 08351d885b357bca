"""Whose memory is the model's: engines are told by what they are, all else is unknown with its reason."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.inference.backends.engine_programs import engine_of
from desktop.inference.backends.ollama import OllamaBackend
from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend
from desktop.inference.backends.server_memory import ServerMemory

_LISTEN = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""

_LISTEN_WITH_AN_ENGINE = """
import socket, subprocess, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, sys.argv[1], "serve"], stdin=pipe, stdout=pipe)
    child.stdout.readline()
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
    child.communicate()
"""


@contextmanager
def listening(script: Path, *arguments: str, code: str = _LISTEN) -> Iterator[str]:
    """The address at which a program of that name listens."""
    script.write_text(code, encoding="utf-8")
    started = subprocess.Popen(
        [sys.executable, str(script), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert started.stdout is not None
        yield f"http://127.0.0.1:{int(started.stdout.readline())}"
    finally:
        started.communicate()


@pytest.mark.parametrize(
    "program, command_line, engine",
    [
        ("llama-server", ["/opt/llama/llama-server", "-m", "model.gguf"], "llama-server"),
        ("llama-server.exe", [], "llama-server"),
        ("llamafile-0.9.3", ["./llamafile-0.9.3"], "llamafile"),
        ("ollama", ["/usr/local/bin/ollama", "serve"], "Ollama"),
        ("ollama.exe", ["C:\\Programs\\Ollama\\ollama.exe", "serve"], "Ollama"),
        ("python3", ["/usr/bin/python3", "/usr/local/bin/vllm", "serve", "org/model"], "vLLM"),
        ("python3.11", ["python3.11", "-X", "utf8", "-m", "vllm.entrypoints.openai.api_server"], "vLLM"),
        ("VLLM::APIServer", ["VLLM::APIServer"], "vLLM"),
        ("python", ["python", "-m", "llama_cpp.server", "--model", "m.gguf"], "llama-cpp-python"),
        ("python3", ["/usr/bin/python3", "-u", "-m", "mlx_lm.server"], "MLX LM"),
        ("lemonade-server", ["/usr/bin/lemonade-server", "serve"], "Lemonade"),
        (
            "python.exe",
            ["C:\\l\\python.exe", "C:\\l\\lemonade-server-dev.py", "serve"],
            "Lemonade",
        ),
        ("LM Studio", ["/Applications/LM Studio.app/Contents/MacOS/LM Studio"], "LM Studio"),
        ("LM Studio Helper (Renderer)", [], "LM Studio"),
        ("lm-studio", ["/tmp/.mount_LM/lm-studio"], "LM Studio"),
        # What only passes requests on, however it is told about engines.
        ("haproxy", ["haproxy", "-f", "/etc/haproxy/llama-server.cfg"], None),
        ("nginx", ["nginx: master process /usr/sbin/nginx -g daemon off;"], None),
        ("python3.11", ["/usr/bin/python3.11", "/usr/bin/litellm", "--model", "ollama/llama3"], None),
        ("python3", ["python3", "-m", "litellm", "--config", "vllm.yaml"], None),
        ("python3", ["python3", "-c", "import vllm", "ollama"], None),
        ("docker-proxy", ["/usr/bin/docker-proxy", "-proto", "tcp"], None),
        ("ssh", ["ssh", "-L", "11434:localhost:11434", "ollama"], None),
        ("vim", ["vim", "ollama.txt"], None),
        ("llama-swap", ["llama-swap", "-config", "llama-server.yaml"], None),
        ("node", ["node", "/srv/gateway/ollama-proxy.js"], None),
        ("", [], None),
        ("python3", ["python3"], None),
        ("python3", ["python3", "-m"], None),
    ],
)
def test_that_an_engine_is_told_by_the_program_alone(
    program: str, command_line: list[str], engine: str | None
) -> None:
    assert engine_of(program, command_line) == engine


@pytest.mark.parametrize(
    "script, arguments", [("vllm", ["serve"]), ("llama-server", []), ("ollama", ["serve"])]
)
def test_that_the_memory_of_an_engine_is_found_by_its_port(
    tmp_path: Path, script: str, arguments: list[str]
) -> None:
    with listening(tmp_path / script, *arguments) as address:
        memory = ServerMemory(address)
        sample = memory.sample()
        assert memory.unknown_because == ""
        assert sample is not None
        assert 2 < sample.used_mib <= sample.peak_mib
        memory.forget_peak()


@pytest.mark.parametrize("script", ["haproxy", "litellm", "nginx", "gateway.py"])
def test_that_the_memory_of_a_process_that_may_pass_requests_on_is_unknown_with_the_reason(
    tmp_path: Path, script: str
) -> None:
    with listening(tmp_path / script, "--model", "ollama/llama3") as address:
        memory = ServerMemory(address)
        assert memory.sample() is None
        assert "pass requests on" in memory.unknown_because
        for backend in (OpenAiCompatibleBackend(address), OllamaBackend(address)):
            assert backend.memory() is None
            assert not backend.capabilities.memory
            assert backend.capabilities.memory_unknown_because == memory.unknown_because


def test_that_of_a_program_that_starts_engines_only_the_engines_count(tmp_path: Path) -> None:
    engine = tmp_path / "llama-server"
    engine.write_text(_LISTEN, encoding="utf-8")
    with listening(tmp_path / "llama-swap", str(engine), code=_LISTEN_WITH_AN_ENGINE) as address:
        memory = ServerMemory(address)
        assert memory.sample() is not None
        assert memory.unknown_because == ""


def test_that_a_port_where_nobody_listens_has_no_memory() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    memory = ServerMemory(f"http://127.0.0.1:{port}")
    assert memory.sample() is None
    assert "not found" in memory.unknown_because

"""A backend as somebody adds one: this file, and its record as one line of the table."""

from __future__ import annotations

from desktop.inference.backends.base import Backend, Capabilities
from desktop.inference.backends.table import BackendOptions, BackendRecord
from tests.fakes.fake_backend import FakeBackend, FakeModel


def make_toy(options: BackendOptions) -> Backend:
    return FakeBackend(
        [FakeModel("parrot", lambda prompt, nth: "Bonjour" if "French" in prompt else "Hello")],
        Capabilities(),
        "toy",
        "toy 1",
    )


TOY = BackendRecord(
    "toy", "Toy server", make_toy, product="Toy", address="http://127.0.0.1:7", example="http://toy"
)

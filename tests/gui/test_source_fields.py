"""The fields that say where models are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop.gui.widgets.source_fields import SourceFields
from desktop.inference.backends import table
from desktop.inference.backends.source import ModelSource
from tests.fakes.toy_backend import TOY


def test_that_every_backend_can_be_chosen_and_shows_where_it_usually_is(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BACKENDS", (*table.BACKENDS, TOY))
    owner = QObject()
    fields = SourceFields("Another computer is allowed", owner)
    for widget in (fields.engine, fields.address, fields.remote):
        qtbot.addWidget(widget)
    offered = [fields.engine.itemData(row) for row in range(fields.engine.count())]
    assert offered == [record.name for record in table.BACKENDS]
    assert {"rapid-mlx", "toy"} < set(offered)
    for record in table.BACKENDS:
        fields.engine.setCurrentIndex(fields.engine.findData(record.name))
        assert fields.source.kind == record.name
        assert fields.address.placeholderText() == record.example
        assert fields.with_address is not record.built_in
    assert ModelSource("toy").message == "Toy"

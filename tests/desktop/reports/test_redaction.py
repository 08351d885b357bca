from __future__ import annotations

import pytest

from desktop.reports.redaction import LEFT_OUT, redacted
from desktop.reports.renderers import standard_renderers
from tests.fakes.reported_run import invoice_run, reported_run


def test_that_nothing_changes_when_nothing_is_hidden() -> None:
    data = reported_run()
    assert redacted(data) is data


@pytest.mark.parametrize("name", ["html", "md", "json", "csv", "junit"])
def test_that_no_format_holds_a_text_when_texts_are_left_out(name: str) -> None:
    data = redacted(reported_run(), with_texts=False)
    content = standard_renderers()[name].render(data).decode()
    for secret in ("two amounts", "neighbour", "dentist near", "4711"):
        assert secret not in content


@pytest.mark.parametrize("name", ["html", "md", "json", "csv"])
def test_that_a_hidden_field_is_in_no_format(name: str) -> None:
    data = redacted(invoice_run(), hidden_fields=["vendor"])
    content = standard_renderers()[name].render(data).decode()
    assert "Northwind" not in content
    assert "due_date" in content


def test_that_figures_and_causes_stay() -> None:
    before, after = invoice_run(), redacted(invoice_run(), with_texts=False)
    assert [view.causes for view in after.candidates] == [view.causes for view in before.candidates]
    assert [unit.outcome and unit.outcome.cause for unit in after.units] == [
        unit.outcome and unit.outcome.cause for unit in before.units
    ]
    assert after.examples[0].input == LEFT_OUT
    assert after.notes[-1].startswith("Inputs, expected values and answers are left out")

"""The commands around qualification packs, in one table: what the overview shows and where each is."""

from __future__ import annotations

from desktop.cli.command import Command

GROUP = "Qualification and its evidence"

ENTRIES: tuple[tuple[str, str], ...] = (
    ("qualify PACK", "decides whether a served model may be used, with a bundle as proof"),
    ("inspect BUNDLE", "tells what a bundle says and whether it is intact"),
    ("verify BUNDLE", "checks a bundle, its signature, and scores it again"),
    ("check BUNDLE", "tells whether a result still holds for what runs now"),
    ("compare A B", "tells what changed between two bundles, case by case"),
    ("sign BUNDLE", "signs a bundle"),
    ("keygen", "makes a pair of keys for signing"),
    ("export BUNDLE", "writes an auditor's report without inputs and answers"),
    ("mock-endpoint [PACK]", "plays models for demonstrations and tests"),
    ("sample-size", "tells how many cases a threshold needs"),
)
"""Usage and summary of each."""


def qualification_command(name: str) -> Command | None:
    """An explicit list, so that a frozen program finds the modules; None for another name."""
    match name:
        case "qualify":
            from desktop.cli import qualify

            return qualify.COMMAND
        case "inspect":
            from desktop.cli import inspect_bundle

            return inspect_bundle.COMMAND
        case "verify":
            from desktop.cli import verify

            return verify.COMMAND
        case "check":
            from desktop.cli import check

            return check.COMMAND
        case "compare":
            from desktop.cli import compare

            return compare.COMMAND
        case "sign":
            from desktop.cli import sign

            return sign.COMMAND
        case "keygen":
            from desktop.cli import keygen

            return keygen.COMMAND
        case "export":
            from desktop.cli import export

            return export.COMMAND
        case "mock-endpoint":
            from desktop.cli import mock_endpoint

            return mock_endpoint.COMMAND
        case "sample-size":
            from desktop.cli import sample_size

            return sample_size.COMMAND
    return None

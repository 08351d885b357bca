"""`packbench compare A B`: what changed between two bundles, case by case."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.reports import text
from packs import numbers

SURE = 0.05


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="A", help="the folder of the earlier run")
    parser.add_argument("b", type=Path, metavar="B", help="the folder of the later run")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.reports.qualification.bundle_folder import open_bundle
    from desktop.reports.qualification.parts import share
    from packs.errors import AppError
    from packs.qualification.compare import compare_bundles

    first, second = open_bundle(arguments.a), open_bundle(arguments.b)
    try:
        found = compare_bundles(first.parts, second.parts)
    except (KeyError, TypeError, AssertionError) as error:
        raise AppError(
            f"One of the two is no whole bundle ({error}).",
            "'packbench verify' tells more.",
            code="bundle_broken",
        ) from None
    out = context.terminal
    if arguments.json:
        out.document(found.as_json())
        return Exit.DONE
    out.line(f"{found.a['run_id']} ({found.a['pack']}): {found.a['status']}")
    out.line(f"{found.b['run_id']} ({found.b['pack']}): {found.b['status']}")
    if not found.same_pack:
        out.paragraph("The two runs used different packs, so only what both hold can be compared.")
    before, after = found.a["metrics"], found.b["metrics"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    for name in sorted({*before, *after}):
        old = share(before.get(name, {}).get("point_estimate"))
        new = share(after.get(name, {}).get("point_estimate"))
        out.line(f"  {text.one_line(name, 40):<32} {old:>8} -> {new:>8}")
    out.line()
    for change in found.tests:
        if not change.lost and not change.won:
            continue
        doubt = "" if change.p_value < SURE else "; so few changes may be chance"
        out.paragraph(
            f"{change.test}, {change.corpus}: {len(change.lost)} of {change.compared} cases got worse, "
            f"{len(change.won)} better ({_p(change.p_value)}{doubt})."
        )
        for message, cases in (("worse", change.lost), ("better", change.won)):
            if cases:
                out.paragraph(f"{message}: {', '.join(cases)}", "    ")
    if not found.flipped:
        out.line("No case changed its outcome.")
    fired = found.triggers.fired
    out.paragraph(
        f"What was qualified differs in: {', '.join(name.replace('_', ' ') for name in fired)}."
        if fired
        else "What was qualified is the same, as far as the fingerprints tell."
    )
    return Exit.DONE


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {numbers.fixed(value, 3)}"


DOCUMENT = JsonDocument(
    None,
    fields(
        ("a", "object", "decision and figures of the first bundle"),
        ("b", "object", "the same of the second"),
        ("evidence_changed", "boolean", "by the format's rule"),
        ("same_pack", "boolean", "did both use the same pack?"),
        ("flipped_cases", "array", "cases whose outcome changed"),
        ("tests", "array", "one entry for each test that both hold"),
        ("tests[].test", "string", "its id"),
        ("tests[].corpus", "string", "the corpus"),
        ("tests[].compared", "integer", "cases in both"),
        ("tests[].lost", "array", "cases that got worse"),
        ("tests[].won", "array", "cases that got better"),
        ("tests[].p_value", "number", "how likely chance alone does this"),
        ("fired", "array", "triggers that differ"),
        ("trigger_classes", "object", "by trigger: how severe each pack calls it, and its state"),
        ("trigger_classes{}.a", "string", "severity in the first pack"),
        ("trigger_classes{}.b", "string or null", "severity in the second"),
        ("trigger_classes{}.state", "string", "same, fired, ambiguous or not_observed"),
        ("fingerprint_problems", "array", "what is wrong with a stored fingerprint"),
        ("fingerprint_problems[].path", "string", "where"),
        ("fingerprint_problems[].message", "string", "what"),
        ("coverage_model", "string or null", "how coverage was counted"),
    ),
)

COMMAND = Command(
    "compare",
    "Tells what changed between two bundles: decision, figures, every case whose outcome changed, whether "
    "more\n"
    "than chance is behind it, and what differs in the fingerprints.",
    describe,
    run,
    ("packbench compare evidence/run-1 evidence/run-2",),
    documents=(DOCUMENT,),
    exits={0: "compared"},
)

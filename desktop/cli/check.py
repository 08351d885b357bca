"""`packbench check BUNDLE`: does a result still speak for what runs now?"""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, UsageError, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.json_documents import JsonDocument, fields
from desktop.cli.packs import find_pack
from desktop.inference.backends.api_keys import model_key

TONES = {0: "good", 1: "warn", 2: "bad"}


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a run")
    parser.add_argument("--endpoint", metavar="URL", help="where the model is served now")
    parser.add_argument("--pack", metavar="DIR", help="the pack as it is now")
    for name in ("serving-config", "system-prompt", "chat-template", "model-index"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help="as it is now")
    parser.add_argument("--model", metavar="M", help="the model's id now")
    parser.add_argument("--operator", metavar="NAME")
    parser.add_argument("--temperature", type=float, metavar="T")
    parser.add_argument("--top-p", type=float, metavar="P")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--max-tokens", type=int, metavar="N")
    parser.add_argument("--extra-body", metavar="JSON")
    parser.add_argument("--concurrency", type=at_least(1), metavar="N", help="requests at once now")
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.evidence.work import check_result, checked_text
    from desktop.runs.qualification.check import CheckSettings
    from desktop.runs.qualification.side_files import read_extra_body

    if not arguments.endpoint:
        raise UsageError("--endpoint is missing.", "Name the server that runs the model now.", code="usage")
    environment = context.services.environment
    settings = CheckSettings(
        endpoint=arguments.endpoint,
        pack=find_pack(arguments.pack).folder if arguments.pack else None,
        serving_config=arguments.serving_config,
        system_prompt=arguments.system_prompt,
        chat_template=arguments.chat_template,
        model_index=arguments.model_index,
        model=arguments.model,
        operator=arguments.operator,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        seed=arguments.seed,
        max_tokens=arguments.max_tokens,
        extra_body=read_extra_body(arguments.extra_body) if arguments.extra_body is not None else None,
        concurrency=arguments.concurrency,
        key=model_key(environment),
    )
    result = check_result(arguments.bundle, settings, context.now())
    out = context.terminal
    if arguments.json:
        out.document(result.as_json())
        return result.exit_code
    checked = checked_text(result)
    out.paragraph(out.style(checked.sentence, TONES[checked.level]))
    signs = {"same": "✓", "fired": "✗", "ambiguous": "△", "not_observed": "–"}
    for what, state, why in checked.rows:
        out.line(f"  {signs[state]} {what}" + (f": {why}" if why else ""))
    for note in checked.notes:
        out.paragraph(note)
    return result.exit_code


DOCUMENT = JsonDocument(
    None,
    fields(
        ("answer", "string", "changed, unchanged or unknown"),
        ("exit_code", "integer", "0, 1 or 2, as below"),
        ("not_looked_at", "array", "what is not known to be the same"),
        ("not_looked_at[].trigger", "string", "its name in the pack"),
        ("not_looked_at[].how", "string", "how it could be looked at; empty when that is not known"),
        ("bundle_findings", "array", "what speaks against the bundle itself, a sentence each"),
        ("fired", "array", "triggers that fired"),
        ("not_observed", "array", "triggers that nothing was said about"),
        ("ambiguous", "array", "triggers that cannot be decided"),
        ("unverified", "array", "triggers whose value was never known"),
        ("triggers", "array", "all of them"),
        ("triggers[].trigger", "string", "its name in the pack"),
        ("triggers[].group", "string", "how severe the pack calls it"),
        ("triggers[].state", "string", "same, fired, ambiguous or not_observed"),
        ("triggers[].reason", "string", "why; empty when there is nothing to say"),
        ("triggers[].unverified", "boolean", "was it never known?"),
        ("further_changes", "array", "what changed that no trigger covers"),
        ("further_changes[].what", "string", "the thing"),
        ("further_changes[].before", "string", "in the bundle"),
        ("further_changes[].now", "string", "now"),
        ("network_fault", "string or null", "why the endpoint could not be asked"),
        ("taken_on_trust", "array", "what was not looked at"),
        ("fingerprint_problems", "array", "what is wrong with the stored fingerprint"),
        ("fingerprint_problems[].path", "string", "where"),
        ("fingerprint_problems[].message", "string", "what"),
    ),
)

COMMAND = Command(
    "check",
    "Compares what a bundle says was qualified with what runs now, as far as you give it again.\n"
    "The answer is changed, unchanged or unknown. Exit code 0: nothing to do; 1: somebody should look;\n"
    "2: qualify again, since something that counts changed or was not looked at.",
    describe,
    run,
    ("packbench check evidence/run-1 --endpoint http://localhost:8080 --pack ./my-pack --model my-model",),
    documents=(DOCUMENT,),
    exits={0: "nothing to do", 1: "somebody should look", 2: "qualify again, or wrong usage"},
)

"""A made-up run with every kind of outcome, as the reports are given it. Fixed clock, invented figures."""

from __future__ import annotations

import json
from dataclasses import replace

from desktop.inference.backends.base import Generation, Timing
from desktop.reports.data import (
    AnswerTone,
    CandidateView,
    NearMissCount,
    PackView,
    ReportData,
    RunAnswer,
    RunnerUp,
    Spread,
)
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitRecord, UnitStatus
from packs.statistics.wilson import wilson_interval
from packs.task.model import Example
from packs.task.outcome import Cause, CauseKind, NearMiss, Outcome

_MODELS = (
    # name, quantization, MiB of weights, peak MiB, tokens per second, causes in order of the examples
    ("gemma-3-1b", "Q4_K_M", 806, 1484, 14.2, "CCCCCCCCCCCCCWCCCCCCCCCCCWCCCC"),
    ("SmolLM2-360M", "Q8_0", 386, 798, 31.4, "CCCCCCCCCCCCCCCCCCCCCCWCCCCCUG"),
    ("gemma-3-270m", "Q8_0", 292, 512, 44.9, "CCCCCCCCCCWCCWCCCUCCUCCCCCGCUC"),
    ("SmolLM2-135M", "Q4_1", 94, 398, 72.8, "WUCCUCWCCCACCWCUWCCCUCWCCUCWCC"),
    ("brook-2b", "Q4_K_M", 1480, 1987, 6.1, "CCIIM" + "N" * 25),
)
_LETTERS = {
    "C": Cause.CORRECT,
    "W": Cause.WRONG,
    "G": Cause.GATE_FAILED,
    "U": Cause.UNREADABLE,
    "A": Cause.ANSWER_CUT,
    "I": Cause.INPUT_CUT,
    "M": Cause.OUT_OF_MEMORY,
    "N": Cause.NOT_RUN,
}
_LABELS = ("billing", "delivery", "visitors", "returns", "other")
_TEXTS = (
    "Good morning, the receipt shows two amounts for one ticket. Which one is right, and when do I get the "
    "rest back?",
    "My neighbour took the box, now he has left for three weeks.\nWho can give it to me?",
    "May two of us come up on Friday at ten? We would need a place for the car as well.",
    "The shoes are too small. The label fell off, here is the number again: <b>4711-A & B</b>",
    "Do you know a good dentist near the station?",
)


def reported_run() -> ReportData:
    """Five models, thirty examples of a five-label task; one candidate ran out of memory."""
    examples = tuple(
        Example(f"{number:03d}", _TEXTS[number % 5] + f" ({number})", _LABELS[number % 5])
        for number in range(1, 31)
    )
    units = tuple(
        _unit(index, example, letter)
        for index, model in enumerate(_MODELS)
        for example, letter in zip(examples, model[5], strict=True)
    )
    candidates = tuple(_view(index, units) for index in range(len(_MODELS)))
    run = RunRecord(
        id="7f3a9c1e5b2d4f60",
        started_at="2026-11-30T10:21:04Z",
        finished_at="2026-11-30T10:32:44Z",
        pack_name="post-room-triage",
        pack_folder="/home/anna/Documents/post-room-triage",
        pack_type="classification",
        scorer="exact-label",
        fingerprint="4be1c27d9a60f1e2a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a",
        pack_snapshot={},
        backend="embedded",
        backend_version="llama.cpp b11549 (xllamacpp 2026.10.11549)",
        machine={"processor": "Example CPU, 8 cores", "memory_total_mib": 16384},
        memory_method="highest resident memory of the engine's own process, read every 0.2 s.",
        memory_unknown_because=None,
        settings={},
        status=RunStatus.FINISHED,
    )
    return ReportData(
        run=run,
        state="finished",
        pack=PackView(
            name=run.pack_name,
            type=run.pack_type,
            scorer=run.scorer,
            gates=("json-schema",),
            prompt="Which desk takes this letter?\n\n{{input}}\n",
            generation={"context": 4096, "max_tokens": 24, "temperature": 0, "seed": 42, "repetitions": 1},
            provenance={},
            fingerprint=run.fingerprint,
            scoring={"scorer": "exact-label", "params": {"labels": list(_LABELS)}, "gates": []},
        ),
        answer=RunAnswer(
            headline="Use SmolLM2-360M Q8_0: 27 of 30 right; the best had 28.",
            reason="It is likely (83 %) no more than 5 points worse than gemma-3-1b, and needs 0.67 GiB less. "
            "If it is as good as gemma-3-1b, about 200 more examples would make it sure.",
            limits=(
                "brook-2b is not ranked: it ran out of memory at example 5.",
                "One run on battery: speeds may be low.",
            ),
            tone=AnswerTone.ACCENT,
            runners_up=(
                RunnerUp("gemma-3-1b", "one more right, but 0.67 GiB more memory."),
                RunnerUp("gemma-3-270m", "not likely (31 %) within 5 points of the best."),
                RunnerUp("SmolLM2-135M", "10 fewer right than the best."),
                RunnerUp("brook-2b", "ran out of memory."),
            ),
            arithmetic=(
                "Margin 5 points, wanted sureness 80 %.",
                "gemma-3-1b against SmolLM2-360M: 2 and 3 differ.",
            ),
        ),
        candidates=candidates,
        examples=examples,
        units=units,
        repetitions=1,
        label="",
        notes=(),
        local="Nothing has left this computer.",
        environment=(
            ("Started", "2026-11-30 10:21 UTC"),
            ("Machine", "Example CPU, 8 cores, 16.00 GiB memory, 9.40 GiB free at the start"),
            ("Engine", "llama.cpp b11549 (xllamacpp 2026.10.11549), 7 threads, prompt cache off"),
            ("Pack", "post-room-triage, scorer exact-label, fingerprint 4be1c27d9a60"),
            ("Generation", "context 4096, at most 24 tokens, temperature 0, seed 42"),
        ),
        methodology=(
            "Each model ran alone, largest first, after one answer that does not count.",
            "The same examples in the same order for each model; temperature 0.",
        ),
        repeat=("packbench run post-room-triage --model gemma-3-1b --model SmolLM2-360M",),
        elapsed_s=700.0,
        program="Packbench 0.1.0",
        choice={},
        created_at="2026-11-30T10:40:00Z",
    )


def invoice_run() -> ReportData:
    """One model with graded scores, near misses, reasoning, two repetitions, hostile texts and an unreviewed
    pack.
    """
    base = reported_run()
    examples = tuple(
        Example(
            f"{number:03d}",
            f"INVOICE {number}\nNorthwind Paper GmbH\nTotal due: EUR {number}.50 by 2026-12-0{number}\n"
            + hostile,
            {"vendor": "Northwind Paper", "total": number + 0.5, "due_date": f"2026-12-0{number}"},
        )
        for number, hostile in enumerate(
            ("", "\u202egnp.exe\u202c", "<script>alert(1)</script>", '=HYPERLINK("http://example.test")', ""),
            start=1,
        )
    )
    units = tuple(unit for example in examples for unit in _invoice_units(example))
    view = base.candidates[3]
    view = replace(
        view,
        record=replace(view.record, index=0, notes=("This file has no chat template; ChatML was used.",)),
        right=1,
        judged=5,
        interval=wilson_interval(1, 5),
        quality=0.4,
        quality_spread=(0.367, 0.433),
        causes={Cause.CORRECT: 2, Cause.PARTLY_CORRECT: 4, Cause.UNREADABLE: 2, Cause.REASONING_USED_IT_UP: 2},
        near_misses=(NearMissCount("trailing_comma", "There is a comma before the closing bracket.", 2),),
        same_text=False,
        recommended=False,
        why_not="too few right",
    )
    return replace(
        base,
        pack=replace(base.pack, name="invoice | *extraction*", scorer="field-f1", type="extraction"),
        candidates=(view,),
        examples=examples,
        units=units,
        repetitions=2,
        label="This pack was drafted by SmolLM2-135M (llama.cpp) from runbook.docx on 2026-11-29. Its expected "
        "values are made by that model: quality here means agreement with it.",
        answer=RunAnswer(
            "No model is good enough: SmolLM2-135M got 1 of 5 right.",
            "Always giving the commonest answer would do as well.",
            ("5 examples are few: below 20 the interval is wide.",),
            AnswerTone.WARN,
        ),
        notes=("2 of 10 scores changed when the answers were scored again with this version.",),
    )


def _invoice_units(example: Example) -> list[UnitRecord]:
    number = int(example.id)
    expected = example.expected
    assert isinstance(expected, dict)
    match number:
        case 1:
            text, score, cause = json.dumps(expected), 1.0, Cause.CORRECT
            fields = {"vendor": "match", "total": "match", "due_date": "match"}
        case 2 | 4:
            text = json.dumps({"vendor": "=cmd|'/c calc'!A1", "total": expected["total"]})
            score, cause = 2 / 3, Cause.PARTLY_CORRECT
            fields = {"vendor": "mismatch", "total": "match", "due_date": "missing"}
        case 3:
            text, score, cause, fields = (
                '{"vendor": "Northwind Paper", "total": 3.5,}',
                0.0,
                Cause.UNREADABLE,
                {},
            )
        case _:
            text, score, cause, fields = "", 0.0, Cause.REASONING_USED_IT_UP, {}
    reasons = {
        Cause.CORRECT: "All 3 fields agree.",
        Cause.PARTLY_CORRECT: "1 of 3 fields agrees; vendor differs, due_date is missing.",
        Cause.UNREADABLE: "The answer is not JSON: a comma before the closing bracket at character 43.",
        Cause.REASONING_USED_IT_UP: "It was still thinking when its 64 tokens were used up.",
    }
    near = (
        (NearMiss("trailing_comma", "There is a comma before the closing bracket.", 42, 43),)
        if number == 3
        else ()
    )
    outcome = Outcome(
        cause,
        score,
        score == 1.0,
        reasons[cause],
        scored_text=text,
        reasoning="First I look for the vendor. <b>Hm</b>." if number == 5 else "",
        near_misses=near,
        detail={"fields": fields} if fields else {},
    )
    return [
        UnitRecord(
            "7f3a9c1e5b2d4f60",
            0,
            example.id,
            repetition,
            UnitStatus.COMPLETED,
            1,
            "",
            _generation(text),
            outcome,
        )
        for repetition in (1, 2)
    ]


def _generation(text: str, finish: str = "stop") -> Generation:
    timing = Timing(180.0, 420.0, 31.5, 212, 180, max(1, len(text) // 4), 90.0, 6, "engine")
    return Generation(text, "", finish, timing, {"temperature": 0, "seed": 42, "max_tokens": 24})


def _unit(index: int, example: Example, letter: str) -> UnitRecord:
    cause = _LETTERS[letter]
    label = str(example.expected)
    wrong = _LABELS[(_LABELS.index(label) + 3) % 5]
    number = int(example.id)
    bold = number % 2 == 0
    text, reason, near = {
        Cause.CORRECT: (label, "The label is the expected one.", ()),
        Cause.WRONG: (wrong, f"'{wrong}' is not '{label}'.", ()),
        Cause.GATE_FAILED: (
            f"{label}\n",
            "The gate json-schema did not pass: there is no JSON in the answer.",
            (),
        ),
        Cause.UNREADABLE: (
            (
                f"**{label}**",
                "There are bold marks around the label.",
                (NearMiss("bold_marks", "Bold marks around the label.", 0, len(label) + 4),),
            )
            if bold
            else (
                f"{label}.",
                "There is a full stop behind the label.",
                (NearMiss("final_stop", "A full stop behind the label.", len(label), len(label) + 1),),
            )
        ),
        Cause.ANSWER_CUT: (
            "The letter is about the re",
            "Its 24 tokens were used up in the middle of the answer.",
            (),
        ),
        Cause.INPUT_CUT: ("", "The server read 96 of 212 prompt tokens.", ()),
        Cause.OUT_OF_MEMORY: ("", "The engine ran out of memory: it reached 1.94 GiB.", ()),
        Cause.NOT_RUN: ("", "The model had ended before.", ()),
    }[cause]
    came = cause.kind is not CauseKind.DID_NOT_HAPPEN and cause is not Cause.OUT_OF_MEMORY
    counts = cause.kind in (CauseKind.ANSWERED, CauseKind.STOPPED_EARLY)
    right = cause is Cause.CORRECT
    outcome = Outcome(
        cause,
        float(right) if counts else None,
        right if counts else None,
        reason,
        near_misses=near,
        scored_text=text,
        failed_gate="json-schema" if cause is Cause.GATE_FAILED else None,
        detail={"resolved": text if right or cause is Cause.WRONG else None},
    )
    status = (
        UnitStatus.COMPLETED if came else UnitStatus.SKIPPED if cause is Cause.NOT_RUN else UnitStatus.FAILED
    )
    return UnitRecord(
        "7f3a9c1e5b2d4f60",
        index,
        example.id,
        1,
        status,
        1,
        "" if came else reason,
        _generation(text) if came else None,
        outcome,
    )


def _view(index: int, units: tuple[UnitRecord, ...]) -> CandidateView:
    name, quantization, weights, peak, speed, letters = _MODELS[index]
    own = [unit for unit in units if unit.candidate == index and unit.outcome]
    causes = {cause: letters.count(letter) for letter, cause in _LETTERS.items() if letter in letters}
    judged = sum(1 for unit in own if unit.outcome and unit.outcome.score is not None)
    right = causes.get(Cause.CORRECT, 0)
    out = name == "brook-2b"
    unreadable = causes.get(Cause.UNREADABLE, 0)
    return CandidateView(
        record=CandidateRecord(
            run_id="7f3a9c1e5b2d4f60",
            index=index,
            name=name,
            digest=f"sha256:{index}a1b2c3d4e5f60718293a4b5c6d7e8f90",
            quantization=quantization,
            parameter_count=None,
            size_bytes=weights * 2**20,
            path=f"/home/anna/models/{name}.gguf",
            status=CandidateStatus.OOM if out else CandidateStatus.COMPLETED,
            reason="It ran out of memory." if out else "",
            verdict="fits",
            predicted_mib=peak * 1.1,
            prediction={},
            peak_mib=float(peak),
            memory_method="resident memory",
            load_ms=1200.0 + 400 * index,
            engine="llama.cpp",
        ),
        right=right,
        judged=judged,
        interval=None if out else wilson_interval(right, judged),
        quality=right / judged,
        quality_spread=None,
        pass_rate=right / judged,
        causes=causes,
        near_misses=(NearMissCount("bold_marks", "Bold marks around the label.", unreadable),)
        if unreadable
        else (),
        ttft_cold=Spread(2200.0 / speed * 14, 1100.0, 4200.0, 3),
        ttft_warm=Spread(180.0 + 20 * index, 150.0, 320.0, 27),
        tokens_per_second=Spread(speed, speed * 0.9, speed * 1.05, 30),
        speed_source="engine",
        wall_total_ms=30_000.0,
        prompt_tokens=6360,
        output_tokens=180,
        memory_delta_percent=-9.1,
        same_text=None,
        on_frontier=index in (0, 1, 2),
        recommended=index == 1,
        why_not="ran out of memory" if out else "",
    )

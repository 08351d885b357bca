"""The stages of drafting: kind of task, labels or fields, prompt, examples in batches over the passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.answers import read_object
from desktop.ingest.drafting.chunks import TextChunk, chunks_of
from desktop.ingest.drafting.kinds import drafting_jobs, job_of, scorer_of
from desktop.ingest.drafting.marked import marked_text
from desktop.ingest.drafting.model import (
    FEWEST_EXAMPLES,
    MAX_ATTEMPTS,
    WANTED_EXAMPLES,
    Ask,
    DraftedExample,
    DraftedPack,
    DraftingRequest,
    ExampleAdded,
    OnDraftEvent,
    StageDone,
    StageStarted,
    StopAsked,
)
from desktop.ingest.drafting.sense import reads_like_text
from packs.task.scorers import ExpectedShape, scorer_for
from packs.task.scorers.jobs import DraftingJob

STAGES = 4
CHARACTERS_PER_TOKEN = 3.0
"""On the safe side for European languages; only used to choose the size of a chunk."""
_QUESTION_TOKENS = 500
_ANSWER_TOKENS = 700
_BATCH = 4
_SOURCE_CHARACTERS = 1200
_NAME = "^[a-z]{2,16}(-[a-z]{2,16}){0,3}$"
_MAX_ROUNDS = 6
"""Rounds over all turns before a draft is given with fewer examples than wanted."""


class Drafter:
    """Drafts one pack from one document. Holds what came so far, so that Stop and faults lose nothing."""

    def __init__(
        self,
        document: DocumentText,
        ask: Ask,
        on_event: OnDraftEvent,
        *,
        context_tokens: int,
        scorer: str | None = None,
        wanted: int = WANTED_EXAMPLES,
        stop_asked: StopAsked = lambda: False,
    ) -> None:
        """context_tokens: of the drafting model as loaded. wanted: number of examples.

        scorer: fixed by the person, or None to find it.
        """
        self._document = document
        self._ask = ask
        self._notify = on_event
        self._stop_asked = stop_asked
        self._wanted = wanted
        room = max(600, context_tokens - _QUESTION_TOKENS - _ANSWER_TOKENS)
        self._chunks = chunks_of(document.passages, int(room * CHARACTERS_PER_TOKEN))
        # Examples come from short stretches: quicker to read, more varied, and the reviewer finds the place.
        self._sources = chunks_of(document.passages, min(_SOURCE_CHARACTERS, int(room * CHARACTERS_PER_TOKEN)))
        self._marked = marked_text(document.passages)
        if scorer is None and self._marked:
            # Task-pack format, section 12.3: a document of categories becomes a classification over them.
            scorer = scorer_for(ExpectedShape.LABEL).name
        self._jobs = tuple(drafting_jobs().values())
        self._kind: DraftingJob | None = job_of(scorer) if scorer else None
        self._purpose = ""
        self._name = ""
        self._params: dict[str, object] = {}
        self._prompt = ""
        self._examples: dict[str, DraftedExample] = {}
        self._notes: list[str] = []
        self._answers: list[str] = []

    async def run(self) -> DraftedPack:
        """All stages; ends early, with what is there, when the person asks to stop.

        Raises what the backend raises; the caller still gets everything by `so_far`.
        """
        await self._find_kind()
        if not self._stop_asked():
            await self._find_parameters()
        if self._params and not self._stop_asked():
            self._build_prompt()
            await self._draft_examples()
        return self.so_far(stopped=self._stop_asked())

    def so_far(self, *, stopped: bool = True) -> DraftedPack:
        """The draft as it stands now."""
        kind = self._kind or self._jobs[0]
        notes = list(self._notes)
        if len(self._examples) < FEWEST_EXAMPLES:
            count = len(self._examples)
            drafted = "Only one example" if count == 1 else f"Only {count} examples" if count else "No example"
            notes.append(f"{drafted} could be drafted; a pack needs at least {FEWEST_EXAMPLES}.")
        return DraftedPack(
            name=self._name or "drafted-task",
            type=kind.name,
            scorer=scorer_of(kind).name,
            scorer_params=dict(self._params),
            prompt=self._prompt,
            examples=tuple(self._examples.values()),
            notes=tuple(notes),
            raw_answers=tuple(self._answers),
            stopped=stopped,
        )

    async def _find_kind(self) -> None:
        self._notify(StageStarted(1, STAGES, "reading what the document is about"))
        choices = [self._kind] if self._kind else list(self._jobs)
        reported = "\n".join(f"- {kind.name}: {kind.explanation}" for kind in choices)
        schema = {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": [kind.name for kind in choices]},
                "purpose": {"type": "string", "minLength": 15, "maxLength": 160},
                "name": {"type": "string", "pattern": _NAME},
            },
            "required": ["kind", "purpose", "name"],
            "additionalProperties": False,
        }
        question = (
            "Design one small task for a computer from this document.\n"
            f"Kinds of task:\n{reported}\n\n"
            "When the document names groups, teams, steps or cases, the kind is label.\n"
            "Answer with a JSON object: kind (one word of the list), purpose (one sentence that tells the "
            "computer what to do with each text), name (two or three words joined by hyphens)."
        )

        def read(answer: Mapping[str, Any]) -> str:
            kind = job_of(str(answer.get("kind", "")))
            purpose = " ".join(str(answer.get("purpose", "")).split())
            if kind is None or kind not in choices:
                return f"The kind must be one of: {', '.join(entry.name for entry in choices)}."
            if not reads_like_text(purpose):
                return "The purpose must be one whole sentence."
            self._kind = kind
            self._purpose = purpose.replace("{{input}}", "")
            self._name = str(answer.get("name", ""))
            return ""

        if not await self._attempt(question, schema, self._chunks[0], read):
            self._kind = self._kind or self._jobs[0]
            self._purpose = "Do the task that the labels and examples show."
            self._notes.append("The model did not say what the task is; kind and purpose are stand-ins.")
        assert self._kind is not None
        self._notify(StageDone(1, f"{self._kind.explanation}: {self._purpose}"))

    async def _find_parameters(self) -> None:
        kind = self._kind
        assert kind is not None
        self._notify(StageStarted(2, STAGES, "finding the labels or fields"))
        if scorer_of(kind).shape is ExpectedShape.LABEL and self._marked:
            self._params = {"labels": list(self._marked)}
            self._notes.append("The labels are the entries of a list in the document.")
            self._notify(StageDone(2, f"from the document: {', '.join(self._marked)}"))
            return
        asked, schema = kind.parameters_question()
        found: dict[str, object] = {}

        def read(answer: Mapping[str, Any]) -> str:
            params, fault = kind.parameters(answer)
            if params is not None:
                found.update(params)
            return fault

        question = f"The task: {self._purpose}\n{asked}\nAnswer with a JSON object."
        for chunk in self._chunks[:MAX_ATTEMPTS]:
            if await self._attempt(question, schema, chunk, read):
                break
            if self._stop_asked():
                return
        if not found:
            self._notes.append("The model found no labels or fields; fill them in before the pack can be used.")
        self._params = found
        self._notify(StageDone(2, ", ".join(str(value) for value in found.values())))

    def _build_prompt(self) -> None:
        kind = self._kind
        assert kind is not None
        self._notify(StageStarted(3, STAGES, "putting the prompt together"))
        self._prompt = kind.prompt(self._purpose, self._params)
        self._notify(StageDone(3, f"{len(self._prompt.splitlines())} lines"))

    async def _draft_examples(self) -> None:
        kind = self._kind
        assert kind is not None
        self._notify(StageStarted(4, STAGES, "drafting examples"))
        turns = kind.turns(self._params)
        wanted_each = -(-self._wanted // len(turns))
        counts = dict.fromkeys(range(len(turns)), 0)
        place = 0
        for round_number in range(_MAX_ROUNDS):
            for position, turn in enumerate(turns):
                if self._stop_asked() or len(self._examples) >= self._wanted:
                    break
                if counts[position] >= wanted_each:
                    continue
                chunk = self._sources[place % len(self._sources)]
                place += 1
                counts[position] += await self._batch(kind, turn, chunk, round_number)
        message = f"{len(self._examples)} of {self._wanted} wanted"
        self._notify(StageDone(4, message))

    async def _batch(self, kind: DraftingJob, turn: object, chunk: TextChunk, round_number: int) -> int:
        """Ask for a few examples of one turn; returns how many new ones came. A useless answer is no fault."""
        asked, entry = kind.example_question(self._params, turn)
        schema = {
            "type": "object",
            "properties": {
                "examples": {"type": "array", "items": entry, "minItems": _BATCH, "maxItems": _BATCH}
            },
            "required": ["examples"],
            "additionalProperties": False,
        }
        known = [example.input for example in list(self._examples.values())[-3:]]
        avoid = "\nNot again: " + "; ".join(text[:60] for text in known) if known else ""
        question = (
            f"The task: {self._purpose}\n{asked}\n"
            f"Use what the document says. Write {_BATCH}.{avoid}\nAnswer with a JSON object."
        )
        # The first round is at temperature 0 as the format asks; later ones must not come out the same.
        temperature = 0.0 if round_number == 0 else 0.8
        answer = await self._send(question, schema, chunk, temperature, 42 + round_number)
        entries = (answer or {}).get("examples")
        return self._take(kind, turn, chunk, entries if isinstance(entries, list) else [])

    def _take(self, kind: DraftingJob, turn: object, chunk: TextChunk, entries: Sequence[object]) -> int:
        added = 0
        for entry in entries:
            if len(self._examples) >= self._wanted:
                break
            if not isinstance(entry, dict) or not isinstance(entry.get("input"), str):
                continue
            text = entry["input"].strip()
            if not reads_like_text(text) or text in self._examples:
                continue
            try:
                expected = kind.expected(entry, self._params, turn)
            except (KeyError, ValueError, TypeError):
                continue
            example = DraftedExample(text, expected, chunk.first, chunk.last, chunk.where)
            self._examples[text] = example
            added += 1
            self._notify(ExampleAdded(len(self._examples), self._wanted, example))
        return added

    async def _attempt(self, question: str, schema: Mapping[str, object], chunk: TextChunk, read: Any) -> bool:
        """Ask up to MOST_ATTEMPTS times, telling the fault of the earlier answer. True when `read` took one."""
        fault = ""
        for number in range(MAX_ATTEMPTS):
            if self._stop_asked():
                return False
            repair = f"\nYour earlier answer could not be used: {fault}" if fault else ""
            answer = await self._send(
                question + repair, schema, chunk, 0.0 if number == 0 else 0.6, 42 + number
            )
            fault = "it was not a JSON object." if answer is None else read(answer)
            if not fault:
                return True
        return False

    async def _send(
        self, question: str, schema: Mapping[str, object], chunk: TextChunk, temperature: float, seed: int
    ) -> dict[str, Any] | None:
        # The document stands between marks and before the question: it is data, whatever it says.
        prompt = f"Document '{self._document.name}':\n<document>\n{chunk.text}\n</document>\n\n{question}"
        raw = await self._ask(DraftingRequest(prompt, schema, _ANSWER_TOKENS, temperature, seed))
        self._answers.append(raw)
        return read_object(raw)

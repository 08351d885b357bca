"""From a document and a model to a pack on disk; whatever happens, no answer of the model is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.foundation.private_files import make_private_folder
from desktop.inference.backends.base import (
    Backend,
    BackendFault,
    Constraint,
    GenerationProgress,
    GenerationRequest,
    LoadSettings,
    ModelRef,
    OnProgress,
)
from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.drafter import Drafter
from desktop.ingest.drafting.model import (
    WANTED_EXAMPLES,
    AnswerComes,
    DraftedExample,
    DraftedPack,
    DraftingRequest,
    OnDraftEvent,
    StopAsked,
)
from desktop.ingest.pack_folder import check_target, write_new_pack
from packs.documents.atomic import write_atomically
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.task.drafts import check_draft_object
from packs.task.loader import load_pack_from_files
from packs.task.model import Provenance
from packs.task.new_pack import NewPack, pack_files
from packs.task.review import (
    REVIEW_FILE,
    Review,
    ReviewedExample,
    ReviewState,
    SourcePassage,
    review_bytes,
)
from packs.task.scorers.parts import DraftFault

MAX_CONTEXT = 16_384
"""Task-pack format, section 12.1; less where the model was trained with less."""
_TAIL = 120
"""Characters of an answer being written that are shown: one line."""


@dataclass(frozen=True, slots=True)
class DraftedFolder:
    """What a draft became. folder: None when nothing could be written as a pack; then `saved_answers` is there.

    faults: what the checks of a draft found; problems: what the full loader, dry run included, found.
    """

    draft: DraftedPack
    folder: Path | None
    saved_answers: Path | None
    faults: tuple[DraftFault, ...]
    problems: tuple[Problem, ...]
    fault: AppError | None = None
    """What ended drafting early; what came before it is kept."""


@dataclass(frozen=True, slots=True)
class DraftingModel:
    """Who drafts: the backend, the model, and the settings to load it with."""

    backend: Backend
    model: ModelRef
    settings: LoadSettings


async def draft_to_folder(
    document: DocumentText,
    drafting: DraftingModel,
    target: Path,
    on_event: OnDraftEvent,
    *,
    scorer: str | None = None,
    wanted: int = WANTED_EXAMPLES,
    stop_asked: StopAsked = lambda: False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> DraftedFolder:
    """Load the model, draft in stages, write `target`, unload.

    A fault of the backend, or cancelling, still leaves a folder or the saved answers. Cancelled while
    `stop_asked` says yes, it returns what is there.
    Raises AppError when the target is occupied or the model cannot be loaded: nothing was asked then.
    """
    check_target(target)
    constrained = drafting.backend.capabilities.constraints
    loaded = await drafting.backend.load(drafting.model, drafting.settings)
    context = loaded.context_tokens or drafting.settings.context_tokens

    async def ask(question: DraftingRequest) -> str:
        request = GenerationRequest(
            prompt=question.prompt if constrained else _with_form(question),
            context_tokens=context,
            max_tokens=question.max_tokens,
            temperature=question.temperature,
            seed=question.seed,
            constraint=Constraint(json_schema=question.schema) if constrained else None,
        )
        return (await drafting.backend.generate(request, _teller(on_event))).text

    drafter = Drafter(
        document, ask, on_event, context_tokens=context, scorer=scorer, wanted=wanted, stop_asked=stop_asked
    )
    fault: AppError | None = None
    try:
        draft = await drafter.run()
    except BackendFault as error:
        fault, draft = error, drafter.so_far()
    except asyncio.CancelledError:
        draft = drafter.so_far()
        if not stop_asked():
            _written(draft, document, drafting, await _version(drafting.backend), target, now(), None)
            raise
        # The person's Stop came as a cancel, so that it does not wait for the answer being written.
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
    finally:
        await drafting.backend.unload()
    version = await _version(drafting.backend)
    return _written(draft, document, drafting, version, target, now(), fault)


def _teller(notify: OnDraftEvent) -> OnProgress:
    """Tells of one answer as it comes; only its end is kept, so that a long one costs no more than a short."""
    written = 0
    tail = ""

    def on_progress(progress: GenerationProgress) -> None:
        nonlocal written, tail
        piece = progress.text or progress.reasoning
        if piece:
            written += len(piece)
            tail = (tail + piece)[-_TAIL:]
            notify(AnswerComes(None, None, written, tail))
        elif progress.prompt_done is not None:
            notify(AnswerComes(progress.prompt_done, progress.prompt_total))

    return on_progress


def _with_form(question: DraftingRequest) -> str:
    """For a backend that cannot hold an answer to a form, the form is described in the prompt."""
    return f"{question.prompt}\nThe JSON object must fit this JSON Schema:\n{json.dumps(question.schema)}"


async def _version(backend: Backend) -> str:
    try:
        return await backend.version()
    except AppError:
        return backend.name


def _written(
    draft: DraftedPack,
    document: DocumentText,
    drafting: DraftingModel,
    version: str,
    target: Path,
    now: datetime,
    fault: AppError | None,
) -> DraftedFolder:
    checked = check_draft_object(
        {
            "name": draft.name,
            "type": draft.type,
            "scorer": draft.scorer,
            "scorer_params": draft.scorer_params,
            "prompt": draft.prompt,
            "examples": [{"input": entry.input, "expected": entry.expected} for entry in draft.examples],
        }
    )
    if checked.draft is None or not draft.examples:
        saved = _save_answers(draft, target)
        return DraftedFolder(draft, None, saved, checked.faults, (), fault)
    provenance = Provenance(
        source=document.name,
        source_sha256=document.sha256,
        drafted_by=f"{drafting.model.name} ({version})",
        drafted_at=now.astimezone(UTC).date().isoformat(),
    )
    pack = checked.draft.new_pack(provenance)
    files = pack_files(pack)
    files[REVIEW_FILE] = review_bytes(_review(draft.examples, document, pack))
    problems = tuple(load_pack_from_files(files).problems)
    try:
        write_new_pack(target, files)
    except AppError as error:
        return DraftedFolder(
            draft, None, _save_answers(draft, target), checked.faults, problems, fault or error
        )
    return DraftedFolder(draft, target, None, checked.faults, problems, fault)


def _review(examples: tuple[DraftedExample, ...], document: DocumentText, pack: NewPack) -> Review:
    width = max(3, len(str(len(pack.examples))))
    reviewed: dict[str, ReviewedExample] = {}
    used: set[int] = set()
    for number, example in enumerate(examples, start=1):
        places = range(example.passage_first, example.passage_last + 1)
        used.update(places)
        reviewed[f"{number:0{width}d}"] = ReviewedExample(
            ReviewState.DRAFTED, example.input, example.expected, tuple(str(place) for place in places)
        )
    passages = {
        str(place): SourcePassage(document.passages[place].text, document.passages[place].where)
        for place in sorted(used)
    }
    return Review(document.name, document.sha256, passages, reviewed)


def _save_answers(draft: DraftedPack, target: Path) -> Path | None:
    """The raw answers beside the target; None when there are none or the place cannot be written."""
    if not draft.raw_answers:
        return None
    file = target.with_name(f"{target.name}-draft-response.txt")
    number = 1
    while file.exists():
        number += 1
        file = target.with_name(f"{target.name}-draft-response-{number}.txt")
    try:
        make_private_folder(file.parent)
        write_atomically(
            file, ("\n\n".join(draft.raw_answers) + "\n").encode("utf-8", "surrogatepass"), private=True
        )
    except OSError:
        return None
    return file

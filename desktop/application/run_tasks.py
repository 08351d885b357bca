"""From a person's wish to a finished run: pack, backend, models, plan, then the run itself.

What commands and window both need, so that both do the same.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop import __version__
from desktop.inference.backends.base import Backend, BackendInfo, Clocks, ModelRef
from desktop.inference.backends.model_references import SUFFIX, find_by_name
from desktop.inference.backends.source import BUILT_IN
from desktop.inference.backends.table import all_records
from desktop.reports.gather import PROGRAM
from desktop.runs.addresses import refuse_keys_in
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd, run_plan
from desktop.runs.events import RunEvent
from desktop.runs.plan import RunPlan, choose, make_plan
from desktop.runs.records import RunRecord
from desktop.runs.settings import MAX_CONFIG_BYTES, RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.task_work import TaskWork
from packs.documents.problems import Problem
from packs.documents.regular_file import open_regular
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.application.services import Services
    from desktop.inference.machine.machine import Machine


class PackProblems(AppError):
    """The pack cannot be run as it is; `problems` say everything that is wrong with it."""

    def __init__(self, folder: Path, problems: Sequence[Problem]) -> None:
        super().__init__(
            f"The pack in {folder} cannot be used yet.",
            "Mend what is listed, then run it again.",
            code="bad_pack",
        )
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run. backend: None takes that of the configuration file, else the embedded engine."""

    folder: Path
    settings: RunSettings
    backend: str | None = None
    clocks: Clocks | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything is chosen; nothing has been run. hints: warnings of the pack."""

    work: TaskWork
    plan: RunPlan
    settings: RunSettings
    backend: Backend
    machine: Machine
    hints: tuple[Problem, ...]


def load_work(folder: Path) -> tuple[TaskWork, tuple[Problem, ...]]:
    """The pack made ready to be run, and its warnings. Raises PackProblems."""
    from packs.task.loader import load_pack

    loaded = load_pack(folder)
    if loaded.pack is None:
        raise PackProblems(folder, loaded.problems)
    return TaskWork(loaded.pack), loaded.problems


def prepare(request: RunRequest, services: Services) -> Prepared:
    """Load the pack, ask the backend for its models, and plan. Raises PackProblems, AppError."""
    from desktop.application.candidate_fit import assessor, facts_of_server

    work, hints = load_work(request.folder)
    settings, kind = with_config(request.settings, request.backend)
    refuse_keys_in(settings.endpoint)
    files = [Path(name).expanduser() for name in settings.models if is_model_file(name)]
    backend = services.backend(
        kind, settings.endpoint, more_files=files, clocks=request.clocks, remote_allowed=settings.allow_remote
    )
    models = asyncio.run(backend.list_models())
    elsewhere = _of_other_programs(settings.models, models, services) if kind == BUILT_IN.kind else []
    if elsewhere:
        files += elsewhere
        backend = services.backend(kind, settings.endpoint, more_files=files, clocks=request.clocks)
        models = asyncio.run(backend.list_models())
    settings = replace(settings, models=tuple(_spelled(name, models) for name in settings.models))
    chosen, left_out = choose(models, settings, hint=_how_to_get_models(kind, services))
    machine = services.machine()
    assess = assessor(services.estimator(machine), facts_of_server(backend, chosen))
    plan = make_plan(work, chosen, settings, assess, left_out)
    return Prepared(work, plan, settings, backend, machine, hints)


def execute(
    prepared: Prepared,
    services: Services,
    *,
    on_event: Callable[[RunEvent], None],
    control: RunControl,
    command: str,
) -> RunEnd:
    """Run to the end. Blocks. Raises AppError; everything finished is kept."""
    setup = setup_for(
        prepared.backend, prepared.settings.endpoint, services, prepared.machine, on_event, control, command
    )
    return run_plan(prepared.work, prepared.plan, prepared.settings, setup)


def resume(
    run_id: str,
    services: Services,
    *,
    on_event: Callable[[RunEvent], None],
    control: RunControl,
    command: str,
    retry_failed: bool = False,
) -> RunEnd:
    """Go on with a run of the journal. Blocks. Raises AppError when anything has changed since."""
    from desktop.runs.journal.reader import JournalReader
    from desktop.runs.resume import resume_run

    with JournalReader(services.paths.journal) as reader:
        record = reader.run(run_id)
        places = [candidate.path for candidate in reader.candidates(run_id)]
    settings = RunSettings.from_json(record.settings)
    endpoint = settings.endpoint
    files = [Path(place) for place in places if place is not None and Path(place).is_file()]
    backend = services.backend(record.backend, endpoint, more_files=files, remote_allowed=settings.allow_remote)
    setup = setup_for(backend, endpoint, services, services.machine(), on_event, control, command)
    return resume_run(run_id, _work_of, setup, retry_failed=retry_failed)


def _work_of(run: RunRecord) -> TaskWork | None:
    try:
        return load_work(Path(run.pack_folder))[0]
    except PackProblems:
        return None


def setup_for(
    backend: Backend,
    endpoint: str | None,
    services: Services,
    machine: Machine,
    on_event: Callable[[RunEvent], None],
    control: RunControl,
    command: str,
) -> RunSetup:
    """What a run works with on this computer."""
    from desktop.inference.machine.machine_report import machine_json

    info = None
    if backend.name != BUILT_IN.kind:
        # Also for a server at its usual address: the report says where prompts went.
        version = asyncio.run(backend.version())
        info = BackendInfo(backend.name, version, endpoint, backend.capabilities.local)
    return RunSetup(
        backend,
        services.paths.journal,
        on_event=on_event,
        control=control,
        info=info,
        machine={**machine_json(machine), PROGRAM: f"Packbench {__version__}"},
        command=command,
    )


def with_config(settings: RunSettings, backend: str | None) -> tuple[RunSettings, str]:
    """The settings with what a configuration file adds, and the backend's name. Raises AppError."""
    if settings.config_path is None:
        return settings, backend or BUILT_IN.kind
    from packs.task.run_config import parse_run_config

    path = Path(settings.config_path).expanduser().absolute()
    try:
        with open_regular(path) as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise AppError(
            f"The run configuration {path} cannot be read: {error.strerror or error}.",
            "Check its name.",
            code="bad_config",
        ) from error
    if len(content) > MAX_CONFIG_BYTES:
        raise AppError(f"{path} is too large for a run configuration.", "Check its name.", code="bad_config")
    config = parse_run_config(
        content, path.name, {record.name: not record.elsewhere for record in all_records()}
    )
    changed = replace(
        settings,
        configured=config.candidates,
        use_local_models=config.use_local_models,
        config_path=str(path),
        config_sha256=hashlib.sha256(content).hexdigest(),
    )
    return changed, backend or config.backend


def is_model_file(name: str) -> bool:
    """Is a model named by its file?"""
    return name.lower().endswith(SUFFIX) and Path(name).expanduser().is_file()


def _of_other_programs(wanted: Sequence[str], models: Sequence[ModelRef], services: Services) -> list[Path]:
    """Files of named models that are not in the folders of ours but in those of other programs here."""
    missing = {name.casefold() for name in wanted if not is_model_file(name) and not find_by_name(models, name)}
    if not missing:
        return []
    cards = services.cards()
    found = services.library().scan(cards)
    cards.save()
    return [
        place.path
        for model in found
        for place in model.places[:1]
        if missing & {model.name.casefold(), place.name.casefold(), place.path.name.casefold()}
    ]


def _spelled(wanted: str, models: Sequence[ModelRef]) -> str:
    """The model's own name for 'starter', for a file, or for another case; what is unknown stays."""
    if is_model_file(wanted):
        place = Path(wanted).expanduser().resolve()
        for model in models:
            if model.path is not None and model.path.resolve() == place:
                return model.name
    found = find_by_name(models, wanted)
    return wanted if found is None else found.name


def _how_to_get_models(kind: str, services: Services) -> str:
    if kind == BUILT_IN.kind:
        return f"Put GGUF files into {services.paths.models}, or name one with --model."
    return "Load or pull a model there first."

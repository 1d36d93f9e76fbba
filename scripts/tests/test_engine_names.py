"""Product code names a load engine in few files: those that a new engine touches, and those of one engine's own data.

All others ask ``ngxlab_contracts.engines`` or ``frontend/src/domain/engines.ts``. Prose may name engines anywhere.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ngxlab_contracts.engines import ENGINES, SECTIONS

ROOT = Path(__file__).parents[2]

TOUCHED_BY_EVERY_ENGINE = {
    "backend/contracts/ngxlab_contracts/engines.py",
    "worker/ngxlab_worker/engines/registry.py",
    "frontend/src/domain/engines.ts",
    "frontend/src/features/designer/sections/streams/EngineFields.tsx",
    "frontend/src/features/experiments/describe.ts",
}
TOUCHED_BY_AN_ENGINE_WITH_A_SECTION = {
    "backend/contracts/ngxlab_contracts/streams.py",
    "backend/ngxlab/definition/schema/streams.py",
    "frontend/src/features/designer/model/draft/streamDraft.ts",
}
OF_WRK_ALONE = {
    # its binary, a field of the inventory
    "backend/contracts/ngxlab_contracts/hosts.py",
    "backend/ngxlab/hosts/schemas.py",
    "backend/ngxlab/hosts/service.py",
    "worker/ngxlab_worker/engines/base.py",
    "worker/ngxlab_worker/inventory/gather.py",
    "backend/ngxlab/analysis/records/fingerprint.py",
    "backend/ngxlab/compare/differences.py",
    # a word that people put into passwords
    "backend/ngxlab/accounts/passwords.py",
    "frontend/src/components/hosts/InventoryFacts.tsx",
    "frontend/src/features/hosts/HostsPage.tsx",
    # its printed report, a field of a stream's result
    "backend/contracts/ngxlab_contracts/telemetry.py",
    "backend/ngxlab/analysis/schemas/trial.py",
}
OF_THE_OPEN_LOOP_ALONE = {
    # what an access log becomes
    "frontend/src/features/designer/model/draft/logDraft.ts",
    # a curve's range beside its list
    "frontend/src/features/designer/model/mends.ts",
}

KEYS = {*ENGINES, *SECTIONS}
"""As they stand in definitions and messages."""
IDENTIFIER = re.compile("|".join(key.replace("-", "_?") for key in ENGINES), re.IGNORECASE)
"""Finds ``open_loop``, ``OpenLoopSpec``, ``WRK`` and so on."""
IN_TYPESCRIPT = re.compile(rf"['\"]({'|'.join(KEYS)})['\"]|\b({'|'.join(SECTIONS)})\b")


def test_no_other_file_names_an_engine() -> None:
    python = {
        path
        for folder in ("backend/contracts", "backend/ngxlab", "worker/ngxlab_worker")
        for path in files(folder, "*.py")
        if "templates" not in Path(path).parts and named_in_python(read(path))
    }
    generated = r"/generated/|/api/texts/|/fields/declared\.ts$"
    typescript = {
        path
        for path in files("frontend/src", "*.ts*")
        if not re.search(rf"\.test(data)?\.|/test/|{generated}", path) and named_in_typescript(read(path))
    }
    of_engines = TOUCHED_BY_EVERY_ENGINE | TOUCHED_BY_AN_ENGINE_WITH_A_SECTION | OF_WRK_ALONE | OF_THE_OPEN_LOOP_ALONE
    assert python | typescript == of_engines


def test_contributing_lists_the_files_that_a_new_engine_touches() -> None:
    contributing = read("CONTRIBUTING.md")
    assert [path for path in TOUCHED_BY_EVERY_ENGINE if f"`{path}`" not in contributing] == []
    assert [path for path in TOUCHED_BY_AN_ENGINE_WITH_A_SECTION if f"`{path}`" not in contributing] == []


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def files(folder: str, pattern: str) -> Iterator[str]:
    """All but files and folders that are themselves named for an engine."""
    paths = (file.relative_to(ROOT) for file in (ROOT / folder).rglob(pattern))
    return (path.as_posix() for path in paths if not any(map(IDENTIFIER.search, path.parts)))


def named_in_python(text: str) -> bool:
    """In an identifier, or as a whole string or part of a dotted path. Docstrings and messages are prose."""
    return any(map(is_engine, ast.walk(ast.parse(text))))


def is_engine(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(KEYS.intersection(node.value.split(".")))
    names = [getattr(node, field, None) for field in ("id", "attr", "arg", "name", "asname", "module")]
    return any(isinstance(name, str) and IDENTIFIER.search(name) for name in names)


def named_in_typescript(text: str) -> bool:
    """As a string, or as the field of a stream. Comments and what pages say are prose."""
    return IN_TYPESCRIPT.search(re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)) is not None

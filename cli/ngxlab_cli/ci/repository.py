"""What a file was where a change began, by git. All raise ``UsageError``."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ngxlab_cli.errors import UsageError
from ngxlab_cli.revision import base_of, request_of

_WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null")


def merge_base(path: Path, wanted: str | None, environment: Mapping[str, str]) -> str:
    """The commit that a change of ``path`` is compared with: where it left ``wanted``, or what the job's pull or merge
    request goes to."""
    target = wanted or base_of(environment)
    if target is None:
        raise UsageError("this is no job of a pull or merge request: say with --base what the change is compared with")
    try:
        found = _git(path, "merge-base", "--end-of-options", target, "HEAD")
    except UsageError as error:
        raise UsageError(
            f"git knows no commit at which this change left {target} ({error}): check out its history, too "
            "(fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 in GitLab)"
        ) from error
    is_request = wanted is None or request_of(environment)[1] is not None
    if is_request and found == _git(path, "rev-parse", "HEAD"):
        raise UsageError(
            f"what is checked out has nothing that {target} lacks: it is what the request goes to and not its change "
            "(a job of pull_request_target has to check out the request's head by itself)"
        )
    return found


def called(path: Path) -> str:
    """The path in its repository; as given where it lies in none."""
    try:
        return f"{_git(path, 'rev-parse', '--show-prefix')}{'' if path.is_dir() else path.name}".rstrip("/") or "."
    except UsageError:
        return str(path)


@contextmanager
def as_it_was(path: Path, commit: str) -> Iterator[Path | None]:
    """Where ``path`` lies in a work tree of that commit, with all that it names; ``None`` where there was none. As
    checked out as the change is, so that a link leads to the same place in both."""
    with TemporaryDirectory(prefix="ngxlab-ci-") as folder:
        tree = Path(folder) / "base"
        before = tree / called(path)
        _git(path, *_WITHOUT_HOOKS, "worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            yield before if before.exists() else None
        finally:
            _git(path, "worktree", "remove", "--force", str(tree))


def _git(path: Path, *words: str) -> str:
    """What git says in the folder of ``path``, without the last line's end."""
    if not path.exists():
        raise UsageError(f"{path}: there is no such file")
    folder = path if path.is_dir() else path.parent
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"git cannot be run: {error}") from error
    if done.returncode:
        raise UsageError((done.stderr.decode(errors="replace").strip() or "git failed").splitlines()[-1].strip())
    return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

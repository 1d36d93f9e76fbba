"""Groups in a file that the configuration includes: a change writes the file and reloads nginx."""

import threading
from pathlib import Path

from ngxlab_contracts.trials import DynamicUpstreams, Endpoint

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import Wait, reload
from ngxlab_worker.upstream_groups.groups import Group, Groups, UpstreamGroupError

FILE = "upstreams.conf"
IDLE_CONNECTIONS = 1024


class FileGroups:
    """``folder`` is ``@@folder@@`` of the configuration."""

    def __init__(self, groups: Groups, nginx: NginxServer, folder: Path) -> None:
        self._groups = groups
        self._nginx = nginx
        self._folder = folder
        self._writing = threading.Lock()

    def before_test(self) -> None:
        """Write the file, since the configuration includes it."""
        _write(self._folder, self._groups)

    def fill(self) -> None:
        """Nothing to do: nginx has read the groups at its start."""

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        changing = self._groups.get(group)
        if changing is None:
            raise UpstreamGroupError(f"there is no upstream group {group}")
        with self._writing:  # the file holds all groups, and each may be changed by a thread of its own
            changing.change()
            _write(self._folder, self._groups)
        workers = reload(self._nginx, timeout_s, wait)
        return None, f"{len(changing.nodes)} nodes, {workers} new workers"


def write_stand_ins(spec: DynamicUpstreams, folder: Path, endpoint: Endpoint) -> None:
    """Tests of configurations run no upstream servers: every node is ``endpoint``. Raises ``OSError``."""
    if spec.through == "file":
        names = {group.endpoint for group in spec.groups}
        _write(folder, Groups(spec.groups, [endpoint.model_copy(update={"name": name}) for name in names]))


def _write(folder: Path, groups: Groups) -> None:
    """Replace the file atomically, so that nginx never reads half of it."""
    text = "".join(_block(group) for group in groups)
    new = folder / f"{FILE}.new"
    new.write_text(text)
    new.chmod(0o644)  # whatever our umask: nginx is another user
    new.replace(folder / FILE)


def _block(group: Group) -> str:
    servers = group.statements.replace(";", ";\n    ")
    kept = f"keepalive {IDLE_CONNECTIONS};\n    keepalive_requests 1000000000;"
    return f"upstream {group.spec.name} {{\n    {servers}{kept}\n}}\n"

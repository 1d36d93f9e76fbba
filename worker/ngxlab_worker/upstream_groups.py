"""The upstream groups of the nginx under test that change while it runs, by an HTTP interface or by a reload."""

import http.client
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ngxlab_contracts.trials import DynamicUpstreams, Endpoint, NginxSpec, UpstreamGroup

from ngxlab_worker.core.files import write_new
from ngxlab_worker.nginx import NginxError, NginxServer
from ngxlab_worker.nginx.config import literal
from ngxlab_worker.nginx.process import Pause, Wait, reload


class UpstreamGroupError(Exception):
    """A group could not be changed; the message is the reason."""


class Group:
    """Its nodes are the instances of one upstream server, taken in turn and repeated if necessary.

    Each change starts one instance further, and every second one leaves a node out. So the list is never the same twice
    in a row, unless there is only one node and one instance.
    """

    def __init__(self, spec: UpstreamGroup, endpoint: Endpoint) -> None:
        self.spec = spec
        self._instances = [f"{literal(endpoint.address)}:{port}" for port in endpoint.ports]
        self._changes = 0

    def change(self) -> None:
        self._changes += 1

    @property
    def nodes(self) -> list[str]:
        """Each as ADDRESS:PORT."""
        leaves_one_out = self._changes % 2 == 1 and self.spec.nodes > 1
        number = self.spec.nodes - (1 if leaves_one_out else 0)
        return [self._instances[(self._changes + i) % len(self._instances)] for i in range(number)]

    @property
    def statements(self) -> str:
        """As they stand in an upstream block, and in the body of a call of dyups."""
        servers = "".join(f"server {node};" for node in self.nodes)
        return servers + (f"check {self.spec.health_check};" if self.spec.health_check else "")


class Groups:
    """All groups of a trial by name. ``endpoints`` must hold the upstream server of every group."""

    def __init__(self, specs: Iterable[UpstreamGroup], endpoints: Iterable[Endpoint]) -> None:
        by_name = {endpoint.name: endpoint for endpoint in endpoints}
        self._groups = {spec.name: Group(spec, by_name[spec.endpoint]) for spec in specs}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def get(self, name: str) -> Group:
        if name not in self._groups:
            raise UpstreamGroupError(f"there is no upstream group {name}")
        return self._groups[name]


class UpstreamGroups:
    """Use in order: :meth:`before_test`, :meth:`fill` once nginx runs, :meth:`change` as often as wanted."""

    def __init__(self, groups: Groups, nginx: NginxServer) -> None:
        self._groups = groups
        self._nginx = nginx

    def before_test(self) -> None:
        """Prepare what ``nginx -t`` reads, if the configuration names any node. Raises ``OSError``."""

    def fill(self) -> None:
        """Give every group its nodes, in every worker, if nginx has not read them at its start. Raises ``NginxError``,
        ``OSError``, or what ``pause`` raises."""

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        """Give ``group`` its next nodes and return once that has taken effect.

        The result is the HTTP status (``None`` without HTTP; from 400 on a failure) and a few words on what was done.
        ``wait`` sleeps, or returns ``False`` when no time is left. Called from threads other than the trial's, perhaps
        from several at once. Raises ``UpstreamGroupError``, ``NginxError`` or ``OSError``.
        """
        raise NotImplementedError


def groups_of(
    spec: NginxSpec, endpoints: Iterable[Endpoint], nginx: NginxServer, folder: Path, pause: Pause
) -> UpstreamGroups | None:
    """The groups of the nginx that ``spec`` describes; ``None`` where it has none."""
    if spec.upstreams is None:
        return None
    groups = Groups(spec.upstreams.groups, endpoints)
    if spec.upstreams.through == "file":
        return FileGroups(groups, nginx, folder)
    return ApiGroups(groups, nginx, spec.upstreams.settle_s, pause)


FILL_TIMEOUT_S = 10.0
SUCCESS = 200
EXCERPT = 200
"""The number of characters of an answer that are kept."""


class ApiGroups(UpstreamGroups):
    """Groups that change through the HTTP interface of dyups: Tengine's module, or ngxlab's own in Lua.

    Each call uses a new connection, so that any worker may accept it. Source: Tengine,
    modules/ngx_http_upstream_dyups_module: ``POST /upstream/NAME`` with ``server ADDRESS:PORT;…``.
    """

    def __init__(self, groups: Groups, nginx: NginxServer, settle_s: float, pause: Pause) -> None:
        super().__init__(groups, nginx)
        self._settle_s = settle_s
        self._pause = pause

    def fill(self) -> None:
        for group in self._groups:
            self._pause(0)
            status, said = self._post(group, FILL_TIMEOUT_S)
            if status != SUCCESS:
                raise NginxError("nginx-upstreams-failed", f"POST /upstream/{group.spec.name} gave {status}: {said}")
        self._pause(self._settle_s)

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        changing = self._groups.get(group)
        if not wait(0):
            raise UpstreamGroupError("aborted: the load has ended")
        changing.change()
        try:
            status, said = self._post(changing, timeout_s)
        except TimeoutError as error:
            raise UpstreamGroupError(f"no answer within {timeout_s:g} s") from error
        return status, f"{len(changing.nodes)} nodes" if status == SUCCESS else said

    def _post(self, group: Group, timeout_s: float) -> tuple[int, str]:
        """The status and the beginning of the answer. Raises ``OSError``."""
        deadline = time.monotonic() + timeout_s
        connection = http.client.HTTPConnection(*self._nginx.status_address, timeout=timeout_s)
        try:
            connection.request("POST", f"/upstream/{group.spec.name}", group.statements.encode())
            connection.sock.settimeout(max(0.001, deadline - time.monotonic()))
            answer = connection.getresponse()
            return answer.status, answer.read(EXCERPT).decode(errors="replace").strip()
        except http.client.HTTPException as error:
            raise OSError(f"{type(error).__name__} from nginx") from error
        finally:
            connection.close()


FILE = "upstreams.conf"
IDLE_CONNECTIONS = 1024


class FileGroups(UpstreamGroups):
    """Groups in a file that the configuration includes, in ``folder``, its ``@@folder@@``: a change reloads nginx."""

    def __init__(self, groups: Groups, nginx: NginxServer, folder: Path) -> None:
        super().__init__(groups, nginx)
        self._folder = folder
        self._writing = threading.Lock()

    def before_test(self) -> None:
        _write(self._folder, self._groups)

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        changing = self._groups.get(group)
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
    write_new(new, text)
    new.replace(folder / FILE)


def _block(group: Group) -> str:
    servers = group.statements.replace(";", ";\n    ")
    kept = f"keepalive {IDLE_CONNECTIONS};\n    keepalive_requests 1000000000;"
    return f"upstream {group.spec.name} {{\n    {servers}{kept}\n}}\n"

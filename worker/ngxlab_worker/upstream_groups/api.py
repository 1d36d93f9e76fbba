"""Groups that change through the HTTP interface of dyups: Tengine's module, or ngxlab's own in Lua.

Source: Tengine, modules/ngx_http_upstream_dyups_module: ``POST /upstream/NAME`` with ``server ADDRESS:PORT;…``.
"""

import http.client
import time

from ngxlab_contracts.trials import DynamicUpstreams

from ngxlab_worker.nginx import NginxError, NginxServer
from ngxlab_worker.nginx.process import Pause, Wait
from ngxlab_worker.upstream_groups.groups import Group, Groups, UpstreamGroupError

FILL_TIMEOUT_S = 10.0
SUCCESS = 200
EXCERPT = 200
"""The number of characters of an answer that are kept."""


class ApiGroups:
    """Each call uses a new connection, so that any worker may accept it."""

    def __init__(self, spec: DynamicUpstreams, groups: Groups, nginx: NginxServer, pause: Pause) -> None:
        self._settle_s = spec.settle_s
        self._groups = groups
        self._nginx = nginx
        self._pause = pause

    def before_test(self) -> None:
        """Nothing to do: the configuration names no node."""

    def fill(self) -> None:
        """Give every group its nodes, and wait until all workers know them. Raises ``NginxError`` or ``OSError``."""
        for group in self._groups:
            self._pause(0)
            status, said = self._post(group, FILL_TIMEOUT_S)
            if status != SUCCESS:
                raise NginxError("nginx-upstreams-failed", f"POST /upstream/{group.spec.name} gave {status}: {said}")
        self._pause(self._settle_s)

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        changing = self._groups.get(group)
        if changing is None:
            raise UpstreamGroupError(f"there is no upstream group {group}")
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

"""The actions by the kind that a perturbation gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.perturbations import Action as Described
from ngxlab_contracts.perturbations import (
    Churn,
    CpuPressure,
    DiskPressure,
    HttpCall,
    PerturbationSpec,
    Reload,
    SignalNginx,
    Sync,
)
from ngxlab_contracts.trials import TARGET_ENDPOINT, Endpoint

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.perturbations.action import Action, ActionError
from ngxlab_worker.perturbations.churn import ChurnAction
from ngxlab_worker.perturbations.cpu_pressure import cpu_pressure
from ngxlab_worker.perturbations.disk_pressure import disk_pressure
from ngxlab_worker.perturbations.http_call import HttpAction
from ngxlab_worker.perturbations.pressure import Spawn
from ngxlab_worker.perturbations.reload import ReloadAction
from ngxlab_worker.perturbations.signals import SignalAction
from ngxlab_worker.perturbations.sync import SyncAction
from ngxlab_worker.upstream_groups import UpstreamGroups


@dataclass(frozen=True)
class Scene:
    """What the actions of this host work with. ``folder`` makes a new empty folder for children.

    ``tls``: the load uses HTTPS. ``disk_writers``: how many disk pressures there are on this host.
    """

    spawn: Spawn
    folder: Callable[[], Path]
    endpoints: Mapping[str, Endpoint]
    nginx: NginxServer | None = None
    groups: UpstreamGroups | None = None
    tls: bool = False
    disk_writers: int = 1


def prepare(spec: PerturbationSpec, scene: Scene) -> Action:
    """An action that can start at once. Call it from the main thread. Raises ``ActionError`` or ``SandboxError``."""
    match spec.action:
        case Reload():
            return ReloadAction(_nginx(spec, scene))
        case SignalNginx() as signal:
            return SignalAction(signal, _nginx(spec, scene))
        case Sync():
            return SyncAction()
        case HttpCall() as call:
            is_load = call.endpoint == TARGET_ENDPOINT
            return HttpAction(call, scene.endpoints[call.endpoint], tls=scene.tls and is_load)
        case Churn() as churn:
            return ChurnAction(churn, scene.groups)
        case CpuPressure() as pressure:
            return cpu_pressure(pressure, scene.spawn, scene.folder())
        case DiskPressure() as pressure:
            return disk_pressure(pressure, scene.spawn, scene.folder(), scene.disk_writers)


def calls_target(action: Described) -> bool:
    """Whether each answered action is a request to the nginx under test, which counts it with those of the load."""
    return isinstance(action, Churn) or (isinstance(action, HttpCall) and action.endpoint == TARGET_ENDPOINT)


def _nginx(spec: PerturbationSpec, scene: Scene) -> NginxServer:
    if scene.nginx is None:
        raise ActionError(f"perturbation {spec.key} needs the nginx under test, which runs on another host")
    return scene.nginx

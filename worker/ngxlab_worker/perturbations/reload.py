"""nginx reloads its configuration."""

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import reload
from ngxlab_worker.perturbations.action import Cue, Done

RELOAD_TIMEOUT_S = 10.0


class ReloadAction:
    """Done when every worker that accepts connections is a new one. Old workers may still finish what they serve."""

    def __init__(self, nginx: NginxServer) -> None:
        self._nginx = nginx

    def run(self, cue: Cue) -> Done:
        new = reload(self._nginx, RELOAD_TIMEOUT_S, cue.wait)
        return Done(ok=True, detail=f"all {new} workers are new")

"""What of this host may change between two trials of a run. Reading it takes some milliseconds."""

import platform
from collections.abc import Iterable

from ngxlab_contracts.telemetry import FingerprintEvent
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.core.kernel_files import SYSCTL, read
from ngxlab_worker.core.programs import ProgramError, sha256
from ngxlab_worker.engines import ENGINES
from ngxlab_worker.inventory.hardware import cpu_governor
from ngxlab_worker.inventory.kernel import fingerprint, limits


def read_fingerprint(spec: TrialSpec, t_us: int) -> FingerprintEvent:
    """As of now. A program that cannot be read is left out: it does not start either, which says more."""
    return FingerprintEvent(
        t_us=t_us,
        boot_id=read(SYSCTL / "kernel/random/boot_id") or "",
        kernel=platform.release(),
        governor=cpu_governor(),
        limits=limits(),
        settings=fingerprint(),
        programs=dict(_checksums(spec)),
    )


def _checksums(spec: TrialSpec) -> Iterable[tuple[str, str]]:
    servers = [server.binary for server in (spec.nginx, *spec.upstream_servers) if server is not None]
    generators = (program for stream in spec.streams for program in ENGINES[stream.engine].programs())
    for path in dict.fromkeys([*servers, *generators]):
        try:
            yield path, sha256(path)
        except ProgramError:
            continue

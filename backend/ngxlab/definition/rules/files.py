"""Rules for files and the way they are kept cold."""

from collections.abc import Iterator

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.sections import Sections


def problems(sections: Sections) -> list[DefinitionProblem]:
    messages = _cold(sections.nginx) if sections.nginx is not None else ()
    return [DefinitionProblem(field=field, message=message) for field, message in messages]


def _cold(nginx: NginxTemplate) -> Iterator[tuple[str, str]]:
    cold = nginx.cold_files
    if cold is None:
        return
    if not any(files.cold for files in nginx.files):
        yield "nginx.cold_files", "says how cold files are kept cold, but no set of nginx.files is cold"
    limits = (("read_bytes_per_s", cold.read_bytes_per_s), ("read_ops_per_s", cold.read_ops_per_s))
    if cold.method == "throttle" and all(value is None for _, value in limits):
        yield "nginx.cold_files.read_bytes_per_s", "throttle needs a limit: read_bytes_per_s, read_ops_per_s, or both"
    if cold.method != "throttle":
        for name, value in limits:
            if value is not None:
                yield f"nginx.cold_files.{name}", "is only for method throttle"

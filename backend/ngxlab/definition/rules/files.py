"""Rules for files and the way they are kept cold."""

from collections.abc import Iterator

from ngxlab_contracts.files import UniformSizes

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.sections import Sections


def problems(sections: Sections) -> list[DefinitionProblem]:
    messages = [*_sets(sections.nginx), *_cold(sections.nginx)] if sections.nginx is not None else ()
    return [DefinitionProblem(field=field, message=message) for field, message in messages]


def _sets(nginx: NginxTemplate) -> Iterator[tuple[str, str]]:
    for i, files in enumerate(nginx.files):
        if (files.size_bytes is None) == (files.sizes is None):
            yield f"nginx.files.{i}.size_bytes", "give either size_bytes or sizes"
        if files.compression_ratio is not None and files.content != "text":
            yield f"nginx.files.{i}.compression_ratio", "is only for content: text"
        if isinstance(files.sizes, UniformSizes) and files.sizes.max_bytes < files.sizes.min_bytes:
            yield f"nginx.files.{i}.sizes.max_bytes", "is less than min_bytes"


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

"""Make experiments of configurations that people publish, and write the table of docs/own-configuration.md.

``python -m scripts.own_configurations FOLDER [write]``: the folder has checkouts as OWNER/NAME, which are no part of
this repository. Every file in them that is a configuration of an HTTP server is tried by itself, with the files beside
it that it may include. ``nginx -T`` of what is made must be what the lists of lines say, and nothing else.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ngxlab.configurations.conversion import Build, Choices, Converted, convert
from ngxlab.configurations.experiment import of_one
from ngxlab.configurations.sound import settle
from ngxlab.core.errors import Invalid
from ngxlab.definition.nginx.config import RenderedConfig, render_config
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import validate
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse
from ngxlab_worker.nginx.build import parse_build
from ngxlab_worker.nginx.certificate import make_certificate
from ngxlab_worker.nginx.config import fill

from scripts.paths import ROOT

DOCUMENT = ROOT / "docs" / "own-configuration.md"
NGINX = "/usr/sbin/nginx"
LARGEST = 200_000
BEGIN, END = "<!-- table: python -m scripts.own_configurations -->", "<!-- end of the table -->"
_NAMED = re.compile(r"nginx.*|.*\.(conf|vhost|nginx|site|template|tmpl)(\..+)?|default.*|.*sites-.*/.+", re.IGNORECASE)
_SERVER = re.compile(r"^\s*(server|http)\s*\{", re.MULTILINE)
_OTHERS = re.compile(r"^\s*(FROM |#!|<\?|<VirtualHost|apiVersion:|resource )|\{\{|\{%|<%", re.MULTILINE)
"""What is written in another language, or is a template of one."""


@dataclass
class Tried:
    """What became of one file. ``equal``: nginx was given what the lists say."""

    is_taken: bool
    is_equal: bool
    actions: Counter[str]
    questions: int


def candidates(checkout: Path) -> Iterator[Path]:
    """Its configurations of HTTP servers, by their names and what they begin with."""
    for path in sorted(checkout.rglob("*")):
        relative = path.relative_to(checkout)
        if ".git" in relative.parts or not path.is_file() or not _NAMED.fullmatch(str(relative.name)):
            continue
        if path.suffix in {".md", ".yml", ".yaml", ".sh", ".html", ".js", ".ts", ".json", ".py", ".go", ".rst"}:
            continue
        if path.stat().st_size <= LARGEST and _SERVER.search(text := read(path)) and not _OTHERS.search(text):
            yield path


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def beside(path: Path, checkout: Path) -> dict[str, str]:
    """The file, and what it may include: all small texts of its checkout."""
    texts = {str(path.relative_to(checkout)): read(path)}
    for other in sorted(checkout.rglob("*")):
        if other.is_file() and ".git" not in other.parts and other.stat().st_size <= LARGEST and other != path:
            texts[str(other.relative_to(checkout))] = read(other)
    return texts


def try_one(texts: Mapping[str, str], build: Build) -> Tried:
    try:
        made = convert(texts, Choices(), build)
        settle(made)
        definition = of_one("nginx.conf", made).definition
    except Invalid:
        return Tried(is_taken=False, is_equal=False, actions=Counter(), questions=0)
    rendered = render_config(definition, definition.arms[0])
    dumped = dump(definition, rendered.text)
    is_sound = not validate(definition.model_dump(mode="json")).problems and dumped is not None
    return Tried(
        is_taken=is_sound,
        is_equal=is_sound and is_equal(rendered, made, dumped or ""),
        actions=Counter(one.action for one in made.records),
        questions=(len(made.servers) > 1) + made.asks_workers,
    )


def dump(definition: Definition, config: str) -> str | None:
    """What ``nginx -T`` prints of the configuration, with the run's own names in it again; None where nginx refuses."""
    with TemporaryDirectory(prefix="ngxlab-own-") as name:
        folder = Path(name)
        (folder / "temp").mkdir()
        make_certificate(folder, "127.0.0.1", None)
        values = {"folder": name, "pid_file": f"{name}/pid", "error_log": f"{name}/error.log", "address": "127.0.0.1"}
        values |= {"status_port": "18498", "http_port": "18499"}
        for number, server in enumerate(definition.upstream_servers, 1):
            addresses = (f"server 127.{number}.0.1:{port};" for port in range(1, server.instances + 1))
            values[f"upstream.{server.key}"] = " ".join(addresses)
        path = folder / "nginx.conf"
        path.write_text(fill(config, values))
        command = [NGINX, "-T", "-q", "-e", f"{name}/error.log", "-p", name, "-c", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        written = path.read_text()
    if done.returncode != 0:
        return None
    _, _, shown = done.stdout.partition(f"# configuration file {path}:\n")
    return config if shown.strip() == written.strip() else shown


def is_equal(rendered: RenderedConfig, made: Converted, dumped: str) -> bool:
    """Whether the lines that are not ngxlab's own are those that the records name, each as often, and a line that is
    kept says what it said."""
    lines = zip(rendered.text.split("\n"), rendered.origins, strict=False)
    own = Counter(line.strip() for line, origin in lines if origin is not None and line.strip() not in {"", "}"})
    told = Counter(line for record in made.records for text in record.becomes for line in texts_of(text))
    fields = Counter((f"worker_processes {made.workers};", f"worker_connections {made.connections};"))
    ports = Counter(line for line in own + told if line.startswith("listen @@address@@:@@http_port@@"))
    kept = all(_same(record.text, record.becomes) for record in made.records if record.action == "kept")
    return dumped == rendered.text and own - fields - ports == told - ports and kept


def texts_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _same(text: str, becomes: Sequence[str]) -> bool:
    return text in {"events", "http", "server"} or _words(text) in map(_words, becomes)


def _words(text: str) -> tuple[str, ...]:
    bare = text.strip().removesuffix("{").removesuffix(";").strip()
    try:
        directives: tuple[Directive, ...] = parse(f"{bare};")
    except ConfigSyntaxError:
        return (bare,)
    return tuple(word for one in directives for word in (one.name, *one.args))


def build_here() -> Build:
    said = subprocess.run([NGINX, "-V"], capture_output=True, text=True, check=True).stderr
    parsed = parse_build(said)
    found = Build.of(parsed.version, parsed.configure_arguments)
    if found is None:
        raise SystemExit(f"{NGINX} does not say its version")
    return found


def row(name: str, tried: Sequence[Tried]) -> str:
    total = sum((one.actions for one in tried if one.is_taken), Counter[str]())
    counts = [len(tried), sum(one.is_taken for one in tried), sum(one.is_equal for one in tried)]
    counts += [total["kept"], total["replaced"], total["dropped"], max((one.questions for one in tried), default=0)]
    return f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |"


def table(folder: Path) -> str:
    build, everything = build_here(), list[Tried]()
    rows = ["| repository | files | taken | equal | kept | replaced | dropped | questions at most |", f"|{'---|' * 8}"]
    for checkout in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        name = str(checkout.relative_to(folder))
        tried = [try_one(beside(path, checkout), build) for path in candidates(checkout)]
        everything += tried
        if tried:
            rows.append(row(f"[{name}](https://github.com/{name})", tried))
            print(rows[-1], flush=True)
    return "\n".join([*rows, row("all", everything)])


def main() -> None:
    made = table(Path(sys.argv[1]))
    print(made)
    if sys.argv[2:] == ["write"]:
        before, _, rest = DOCUMENT.read_text().partition(BEGIN)
        DOCUMENT.write_text(f"{before}{BEGIN}\n{made}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()

"""Rules for every arm: it must resolve, render, and stay within the allow-list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_policy import fragments as nginx_policy
from ngxlab_policy.fragments import Fragment
from ngxlab_policy.owner import Leave

from ngxlab.definition.fragments import MAX_CHARACTERS as MAX_FRAGMENT
from ngxlab.definition.fragments import ConfigTemplateError, most_characters, render_fragment
from ngxlab.definition.nginx.config import FRAGMENTS, callables
from ngxlab.definition.nginx.dynamic_upstreams import health_checks, upstream_addresses
from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.resolve import Numbers, ResolveError, certificate_key, number, number_fields, words
from ngxlab.definition.rules import clients as client_rules
from ngxlab.definition.rules import perturbations as perturbation_rules
from ngxlab.definition.rules import protocols as protocol_rules
from ngxlab.definition.rules import websockets as websocket_rules
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, ChosenDesign, LevelValue
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.streams import Stream

MAX_CHARACTERS = 4 << 20
"""The bound of all fragments in all arms together: 200 arms with 20 KiB each."""

Finding = tuple[str, int | None, Sentence]
"""Field, line in its text, and message."""


def problems(definition: Definition) -> list[DefinitionProblem]:
    """What is wrong in some arm; a finding that several arms share is one problem that names them."""
    arms = [arm for arm in definition.arms if _has_known_levels(definition, arm)]
    if (problem := too_long(definition, arms)) is not None:
        return [problem]
    arms_by_finding: dict[Finding, list[str]] = {}
    for arm in arms:
        for finding in dict.fromkeys(_findings(definition, arm)):
            arms_by_finding.setdefault(finding, []).append(arm.key)
    return [_problem(finding, keys, len(arms)) for finding, keys in arms_by_finding.items()]


def too_long(definition: Definition, arms: Sequence[ArmDefinition]) -> DefinitionProblem | None:
    """Whether the arms' texts would be too much to look at, by what they could become at most."""
    texts = [getattr(definition.nginx, name) for name in FRAGMENTS]
    texts += [upstream.server for upstream in definition.upstream_servers]
    total = 0
    for arm in arms:
        variables = definition.variables(arm)
        total += sum(min(most_characters(text, variables), MAX_FRAGMENT) for text in texts)
        if total > MAX_CHARACTERS:
            message = say("the texts of all arms could together be longer than {most} MiB", most=MAX_CHARACTERS >> 20)
            return DefinitionProblem(field="nginx", message=message)
    return None


def _problem(finding: Finding, arms: list[str], number_of_arms: int) -> DefinitionProblem:
    field, line, message = finding
    in_all = len(arms) == number_of_arms
    text = say("line {line}: {problem}", line=line, problem=message) if line is not None else message
    if not in_all:
        named = f"{', '.join(arms[:5])}{', …' if len(arms) > 5 else ''}"
        where = "{problem} (in arm {arms})" if len(arms) == 1 else "{problem} (in arms {arms})"
        text = say(where, problem=text, arms=named)
    return DefinitionProblem(field=field, message=text, line=line, arms=[] if in_all else arms)


def _has_known_levels(definition: Definition, arm: ArmDefinition) -> bool:
    """Chosen arms with unknown levels are a problem of the design; problems of their variables would only distract."""
    if not isinstance(definition.design, ChosenDesign):
        return True
    levels = {factor.key: {level.key for level in factor.levels} for factor in definition.factors}
    return arm.levels.keys() == levels.keys() and all(arm.levels[key] in levels[key] for key in levels)


def _findings(definition: Definition, arm: ArmDefinition) -> Iterator[Finding]:
    variables = definition.variables(arm)
    yield from _numbers(definition, variables)
    resolved = dict(words(definition, variables))
    yield from ((one.field, None, one.message) for one in resolved.values() if isinstance(one, ResolveError))
    spoken = {path: one for path, one in resolved.items() if isinstance(one, str)}
    yield from _configuration(definition, variables, spoken)
    for i, upstream in enumerate(definition.upstream_servers):
        fragment, failed = _rendered(f"upstream_servers.{i}.server", upstream.server, variables)
        yield from failed
        if fragment is not None:
            yield from _violations(nginx_policy.upstream_server_violations(fragment))


def _numbers(definition: Definition, variables: dict[str, LevelValue]) -> Iterator[Finding]:
    values: Numbers = {}
    for path, field in number_fields(definition).items():
        try:
            values[path] = number(path, field, variables)
        except ResolveError as error:
            yield error.field, None, error.message
    try:
        certificate_key(definition.nginx, variables)
    except ResolveError as error:
        yield error.field, None, error.message
    for i, stream in enumerate(definition.streams):
        yield from _threads(i, stream, values)
        yield from _engine_sections(i, stream, values)
    for perturbed, message in perturbation_rules.in_arm(definition, values):
        yield perturbed, None, message
    for distant, message in client_rules.in_arm(definition, values):
        yield distant, None, message


def _threads(i: int, stream: Stream, values: Numbers) -> Iterator[Finding]:
    engine = ENGINES[stream.engine]
    threads, connections = values.get(f"streams.{i}.threads"), values.get(f"streams.{i}.connections")
    if engine.threads == "unused" or threads is None or connections is None:
        return
    if threads > connections:
        message = say(
            "{threads} threads are more than the {connections} connections", threads=threads, connections=connections
        )
        yield f"streams.{i}.threads", None, message
    elif (fits := engine.opened(int(connections), int(threads))) < connections:
        message = say(
            "{connections} is not a multiple of the {threads} threads: {engine} would open {fits}",
            connections=connections,
            threads=threads,
            engine=stream.engine,
            fits=fits,
        )
        yield f"streams.{i}.connections", None, message


def _engine_sections(i: int, stream: Stream, values: Numbers) -> Iterator[Finding]:
    for name, section in stream.engine_sections.items():
        field = f"streams.{i}.{name}"
        own = {path.removeprefix(f"{field}."): one for path, one in values.items() if path.startswith(f"{field}.")}
        for inner, message in section.problems_in_arm(own):
            yield f"{field}.{inner}", None, message


def _configuration(
    definition: Definition, variables: dict[str, LevelValue], spoken: Mapping[str, str]
) -> Iterator[Finding]:
    context = {**variables, **callables(definition)}
    fragments: dict[str, Fragment] = {}
    for name in FRAGMENTS:
        fragment, failed = _rendered(f"nginx.{name}", getattr(definition.nginx, name), context)
        yield from failed
        if fragment is not None:
            fragments[name] = fragment
    tls = {upstream.key: upstream.tls for upstream in definition.upstream_servers}
    dynamic = upstream_addresses(definition.nginx.upstreams).values()
    protocols = {upstream.key: upstream.protocol for upstream in definition.upstream_servers}
    leave = Leave(tuple(definition.nginx.allow_directives.split()), None)
    is_tcp = definition.nginx.tcp
    yield from _violations(nginx_policy.violations(fragments, tls, dynamic, tls, protocols, leave=leave, tcp=is_tcp))
    if is_tcp:
        yield from _with_tcp(definition.nginx)
    for field, message in protocol_rules.in_arm(definition, spoken, fragments):
        yield field, None, message
    for field, message in websocket_rules.in_arm(definition.streams, spoken):
        yield field, None, message
    for field, message in client_rules.early_data_in_arm(definition, variables, spoken, fragments):
        yield field, None, message
    if definition.nginx.upstreams is not None:
        try:
            health_checks(definition.nginx.upstreams, variables)
        except ConfigTemplateError as error:
            yield error.field, error.line, error.message


def _with_tcp(nginx: NginxTemplate) -> Iterator[Finding]:
    """What nginx knows of requests only, which it does not see in what it passes on by TCP."""
    if nginx.request_times:
        yield "nginx.request_times", None, say("must be off: nginx sees no requests in what it passes on by TCP")
    if nginx.upstreams is not None:
        yield "nginx.upstreams", None, say("must be left out: their groups are of HTTP, and nginx.tcp is on")


def _rendered(field: str, source: str, variables: Mapping[str, object]) -> tuple[Fragment | None, list[Finding]]:
    try:
        return render_fragment(field, source, variables), []
    except ConfigTemplateError as error:
        return None, [(error.field, error.line, error.message)]


def _violations(violations: Iterable[nginx_policy.Violation]) -> Iterator[Finding]:
    return ((violation.field, violation.line, violation.message) for violation in violations)

"""What is worked out about definitions in processes apart (``core.subprocess_pool``): JSON text in, JSON text out."""

from uuid import UUID

from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.protocol import needed
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, NginxSpec
from ngxlab_policy.owner import Leave
from pydantic import BaseModel

from ngxlab.configurations.conversion import Build
from ngxlab.configurations.schemas import ConversionRequest
from ngxlab.configurations.service import convert_all
from ngxlab.definition.builds import bind
from ngxlab.definition.nginx.config import nginx_modules, render_config
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.nginx.upstream_server import upstream_server_spec
from ngxlab.definition.pairing import PairingRequest, pair_documents
from ngxlab.definition.preview.definition import preview
from ngxlab.definition.preview.schemas import DefinitionPreviewRequest, ImportRequest, RawDefinition
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.validation import require
from ngxlab.definition.yaml import documents
from ngxlab.experiments.origin import with_true_origin
from ngxlab.templates import service as templates
from ngxlab.templates.primary import primary_preview
from ngxlab.templates.registry import template


class TemplateJob(BaseModel):
    key: str
    parameters: dict[str, LevelValue]


class DefinitionJob(BaseModel):
    definition: RawDefinition


class TargetNginx(BaseModel):
    """What a host has registered, and which of it is ``chosen`` for the target or for a build, by name or path."""

    host: str
    registered: list[NginxBinary]
    chosen: dict[str, str]

    def of_arms(self, definition: Definition) -> dict[str, str]:
        """Arm -> path of the nginx that it runs. Raises Invalid for a build that the host has not."""
        bound = bind(self.host, self.registered, definition.builds, self.chosen)
        default = self.registered[0].path
        if TARGET_SLOT in self.chosen:
            default = bind(self.host, self.registered, [TARGET_SLOT], self.chosen)[TARGET_SLOT]
        return {arm.key: bound.get(definition.build(arm) or "", default) for arm in definition.arms}


class ConfigTestJob(DefinitionJob):
    """``with_answers``: whether the host's agent is asked for first answers, which older ones do not understand."""

    test_id: UUID
    target: TargetNginx
    with_answers: bool = True


class ReadDocument(BaseModel):
    name: str
    definition: Definition


def preview_definition(text: str) -> str:
    shown = preview(DefinitionPreviewRequest.model_validate_json(text))
    if shown.definition is not None:
        primary = primary_preview(shown.definition, [arm.config for arm in shown.arms])
        shown = shown.model_copy(update={"primary": primary})
    return shown.model_dump_json()


def preview_template(text: str) -> str:
    job = TemplateJob.model_validate_json(text)
    return templates.preview(template(job.key), job.parameters).model_dump_json()


def read_document(text: str) -> str:
    """Raises Invalid with all problems of the document."""
    request = ImportRequest.model_validate_json(text)
    name, definition = documents.require(request.yaml, request.name)
    return ReadDocument(name=name, definition=definition).model_dump_json()


def read_definition(text: str) -> str:
    """Raises Invalid with all problems of the definition."""
    return with_true_origin(require(DefinitionJob.model_validate_json(text).definition)).model_dump_json()


def pair(text: str) -> str:
    """Raises Invalid with all problems of either document."""
    return pair_documents(PairingRequest.model_validate_json(text)).model_dump_json()


def build_template(text: str) -> str:
    job = TemplateJob.model_validate_json(text)
    chosen = template(job.key)
    return chosen.build(chosen.complete(job.parameters)).model_dump_json()


class ConversionJob(BaseModel):
    """``nginx`` and ``cpus``: of the host that will run it, where it is known."""

    request: ConversionRequest
    nginx: NginxBinary | None
    cpus: int | None
    allow_directives: list[str] = []
    code_files: list[str] = []


def convert_configurations(text: str) -> str:
    """Raises Invalid where a configuration cannot be read, or two are the same experiment."""
    job = ConversionJob.model_validate_json(text)
    leave = Leave(tuple(job.allow_directives), tuple(job.code_files))
    build = None if job.nginx is None else Build.of(job.nginx.version, job.nginx.configure_arguments, leave)
    return convert_all(job.request, build, job.cpus).model_dump_json()


class RenderedTest(BaseModel):
    definition: Definition
    spec: ConfigTestSpec


def render_config_test(text: str) -> str:
    """Every arm's configuration for a host's nginx. Raises Invalid with all problems of the definition."""
    job = ConfigTestJob.model_validate_json(text)
    definition = require(job.definition)
    binaries = job.target.of_arms(definition)
    arms = [_arm(job, definition, resolve(definition, arm), binaries[arm.key]) for arm in definition.arms]
    spec = ConfigTestSpec(test_id=job.test_id, arms=arms)
    spec = spec.model_copy(update={"requires": str(needed(spec))})
    return RenderedTest(definition=definition, spec=spec).model_dump_json()


def _arm(job: ConfigTestJob, definition: Definition, resolved: ResolvedArm, binary: str) -> ArmConfig:
    arm = ArmConfig(arm=resolved.arm.key, nginx=_nginx(definition, resolved, binary))
    if not job.with_answers:
        return arm
    plays_upstream = job.target.registered[0].path
    return arm.model_copy(
        update={
            "upstream_servers": [
                upstream_server_spec(definition, upstream, resolved.arm, binary=plays_upstream)
                for upstream in definition.upstream_servers
            ],
            "streams": [stream.model_copy(update={"tls": definition.nginx.tls}) for stream in resolved.streams],
        }
    )


def _nginx(definition: Definition, resolved: ResolvedArm, binary: str) -> NginxSpec:
    return NginxSpec(
        binary=binary,
        config=render_config(definition, resolved.arm).text,
        workers=resolved.workers,
        tls=definition.nginx.tls,
        files=definition.nginx.files,
        upstream_servers=[f"{UPSTREAM_VARIABLE_PREFIX}{upstream.key}" for upstream in definition.upstream_servers],
        ports=int(resolved.nginx.ports),
        request_times=definition.nginx.request_times,
        modules=nginx_modules(resolved.nginx),
        upstreams=upstream_spec(resolved),
        watches_tls=definition.nginx.tls,
        certificate_key=resolved.certificate_key,
        certificate_chain=int(resolved.nginx.certificate_chain),
    )

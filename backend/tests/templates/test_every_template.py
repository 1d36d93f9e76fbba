"""What every template must be, also one that is dropped in tomorrow."""

import re
import subprocess
from pathlib import Path

import pytest
from ngxlab.definition import validation
from ngxlab.definition.nginx import config as nginx_config
from ngxlab.definition.schema.definition import Definition
from ngxlab.templates.base import Template
from ngxlab.templates.form import Preset
from ngxlab.templates.registry import templates

LONGEST_COMPACT_S = 270
"""What starting and stopping nginx leaves of the five minutes that a compact run may take."""
MODULES = "/usr/lib/nginx/modules"
VALUES = {
    "address": "127.0.0.1",
    "status_port": "18998",
    "modules": f"load_module {MODULES}/ndk_http_module.so; load_module {MODULES}/ngx_http_lua_module.so;",
}

every_template = pytest.mark.parametrize("template", templates().values(), ids=templates())
every_preset = pytest.mark.parametrize(
    ("template", "preset"),
    [(template, preset) for template in templates().values() for preset in template.presets],
    ids=lambda value: value.key,
)


def built(template: Template, preset: Preset) -> Definition:
    return template.build(template.complete(preset.values))


@every_preset
def test_a_preset_builds_a_sound_definition(template: Template, preset: Preset) -> None:
    definition = built(template, preset)
    raw = definition.model_dump(mode="json")
    assert validation.validate(raw).problems == []
    assert Definition.model_validate(raw) == definition
    assert all(nginx_config.render(definition, arm) for arm in definition.arms)


@every_template
def test_the_compact_preset_leads_and_is_over_in_five_minutes(template: Template) -> None:
    first = template.presets[0]
    assert first.key == "compact"
    assert built(template, first).total_seconds() <= LONGEST_COMPACT_S


@every_template
def test_nginx_accepts_every_arm_of_the_compact_preset(template: Template, tmp_path: Path) -> None:
    definition = built(template, template.presets[0])
    (tmp_path / "temp").mkdir()
    (tmp_path / "files").mkdir()
    for arm in definition.arms:
        text = filled(nginx_config.render(definition, arm), tmp_path)
        path = tmp_path / "nginx.conf"
        path.write_text(text)
        command = ["/usr/sbin/nginx", "-t", "-q", "-p", str(tmp_path), "-c", str(path)]
        tested = subprocess.run(command, capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stderr


def filled(config: str, folder: Path) -> str:
    """As an agent would, with ports and servers that nobody uses."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        own = {"folder": folder, "pid_file": folder / "nginx.pid", "error_log": folder / "error.log"}
        if name.startswith("http_port"):
            return str(18_999 + int(name.partition(".")[2] or 1))
        return "server 127.0.0.1:9;" if name.startswith("upstream.") else str((VALUES | own)[name])

    return re.sub(r"@@(.*?)@@", value, config)


@every_template
def test_its_words_are_there(template: Template) -> None:
    values = template.complete({})
    for text in (template.title, template.summary, template.question, template.mechanism, template.source.title):
        assert text.strip()
    assert all(need.why and need.remedy and need.what for need in template.needs(values))
    keys = [chart.key for chart in template.charts]
    assert len(keys) == len(set(keys))
    assert all(chart.title and chart.why for chart in template.charts)
    assert any(figure.article for figure in template.figures)


@every_template
def test_an_articles_figure_names_levels_that_there_are(template: Template) -> None:
    """In some preset at least: a figure whose levels never run would never be shown."""
    arms = [arm.levels for preset in template.presets for arm in built(template, preset).arms]
    for figure in template.figures:
        for said in figure.article:
            assert any(said.levels.items() <= levels.items() for levels in arms), (figure.label, said.levels)

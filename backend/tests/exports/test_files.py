"""Each file that a run can be taken away as, read by a program that is not ours where there is one."""

import csv
import html
import io
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from arro3.io import read_parquet
from exports.measured import ADDRESS, FOLDER, LATENCIES_US, Finished
from harness import Backend, english
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from ngxlab.accounts.models import Role
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.exports.formats import ExportName
from ngxlab.reports.redaction import redacted_report
from ngxlab.reports.schemas import Report
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from serving import fronted

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.timeout(600)  # the run that all share is made by the first
_OF_THE_PAGE = {ExportName.report_html, ExportName.report_pdf}
_TEXTS = [
    ExportName.report_md, ExportName.data_json, ExportName.data_csv, ExportName.metrics_txt, ExportName.metrics_om,
]  # fmt: skip
_BOUNDED = {
    "experiment", "run", "number", "version", "state", "verdict", "commit", "branch", "pull_request",
    "arm", "block", "line", "stream", "metric", "unit", "check", "severity",
}  # fmt: skip
"""The names of labels. What each can have, the run itself bounds."""


def test_json_has_the_report_and_the_series_of_every_trial(finished: Finished) -> None:
    found = json.loads(finished.export("data.json"))
    assert found["report"]["run"]["id"] == finished.id
    trials = [one["trial"]["id"] for one in found["report"]["trials"]]
    assert [one["trial_id"] for one in found["series"]] == trials
    assert all(any(line["points"] for line in one["series"]) for one in found["series"])


def test_csv_and_parquet_have_the_same_rows(finished: Finished, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(finished.export("data.csv").decode())))
    assert {row["table"] for row in rows} >= {"arms", "trials", "comparisons", "checks", "series"}
    file = tmp_path / "data.parquet"
    file.write_bytes(finished.export("data.parquet"))
    table = read_parquet(file).read_all()
    assert table.num_rows == len(rows)
    values = [None if row["value"] == "" else float(row["value"]) for row in rows]
    assert table.column("value").to_pylist() == values
    rates = [row for row in rows if (row["table"], row["key"]) == ("trials", "requests_per_s")]
    assert len(rates) == len(json.loads(finished.export("data.json"))["series"])


def test_notes_are_in_the_tables_and_in_markdown(finished: Finished) -> None:
    trial = finished.get().json()["trials"][0]
    note_id = finished.note("The <b>dip</b>.", trial_id=trial["id"], t_s=0.75)
    rows = list(csv.DictReader(io.StringIO(finished.export("data.csv").decode())))
    (row,) = [row for row in rows if (row["table"], row["t_s"]) == ("notes", "0.75")]
    assert (row["trial"], row["arm"], row["text"]) == (trial["id"], trial["arm"], "The <b>dip</b>.")
    assert rf"block {trial['block']} at 0.75 s: The \<b\>dip\</b\>." in finished.export("report.md").decode()
    finished.person.client.delete(f"/notes/{note_id}").raise_for_status()  # others tell what notes the run has


def test_the_histograms_are_read_by_another_implementation(finished: Finished, tmp_path: Path) -> None:
    file = tmp_path / "run.hlog"
    file.write_bytes(finished.export("histograms.hlog"))
    read = HistogramLogReader(str(file), HdrHistogram(1, 60_000_000, 3))
    found = []
    while (one := read.get_next_interval_histogram()) is not None:
        found.append(one)
    read.close()
    trials = len(finished.get().json()["trials"])
    assert len(found) == 2 * trials
    assert {one.get_total_count() for one in found} == {len(LATENCIES_US)}
    assert {one.get_tag().rpartition("/")[2] for one in found} == {"latency"}
    assert all(one.get_max_value() == found[0].get_max_value() >= max(LATENCIES_US) for one in found)
    assert found[0].get_start_time_stamp() < found[-1].get_end_time_stamp()


def test_the_metrics_are_open_metrics(finished: Finished) -> None:
    text = finished.export("metrics.txt").decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
    arms = {arm["key"] for arm in finished.get("/report").json()["analysis"]["arms"]}
    means = families["ngxlab_arm_mean"].samples
    assert {sample.labels["arm"] for sample in means if sample.labels["metric"] == "requests_per_s"} == arms
    assert families["ngxlab_run"].samples[0].labels["run"] == finished.id


def _place(sample: Any) -> tuple[Any, ...]:
    return (sample.name, *(sample.labels[name] for name in ("arm", "block", "line")), float(sample.timestamp))


def test_the_timed_metrics_are_the_series_at_their_times(finished: Finished) -> None:
    """By the official parser, which wants each family in one piece and the times of a sample in order."""
    text = finished.export("metrics.om").decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
    whole = json.loads(finished.export("data.json"))
    timed = [family for name, family in families.items() if name.startswith("ngxlab_trial_")]
    found = {_place(sample): sample.value for family in timed for sample in family.samples}
    trials = {one["trial"]["id"]: one["trial"] for one in whole["report"]["trials"]}
    warmup_s, expected = whole["report"]["run"]["plan"]["warmup_s"], 0
    for one in whole["series"]:
        start_s = datetime.fromisoformat(trials[one["trial_id"]]["started_at"]).timestamp() + warmup_s
        for line in one["series"]:
            place = (f"ngxlab_trial_{line['key']}", one["arm"], str(one["block"]), line["label"])
            for t_s, value in line["points"]:
                if value is not None:
                    assert found[(*place, float(f"{start_s + t_s:.3f}"))] == value
                    expected += 1
    assert len(found) == expected > 100
    samples = [sample for family in families.values() for sample in family.samples]
    assert all(sample.timestamp is not None for sample in samples)
    assert {sample.labels["run"] for sample in samples} == {finished.id}
    assert {name for sample in samples for name in sample.labels} <= _BOUNDED
    dashboard = (ROOT / "docs/monitoring/grafana-runs.json").read_text()
    shown = set(re.findall(r"\bngxlab_\w+", dashboard))
    assert shown <= {*families, "ngxlab_run_info", *(f"ngxlab_trial_{info.key}" for info in CATALOGUE)}
    assert "ngxlab_trial_requests_per_s" in shown


def test_markdown_answers_first(finished: Finished) -> None:
    report = finished.get("/report").json()
    blocks = finished.export("report.md").decode().split("\n\n")
    assert blocks[0] == f"# {report['run']['experiment_name']} #{report['run']['number']}"
    assert blocks[2].startswith("| Question | Answer | Change |")
    assert len(blocks[2].splitlines()) == 2 + len(report["analysis"]["answers"])


@pytest.mark.parametrize("name", [name for name in ExportName if name not in _OF_THE_PAGE])
def test_a_file_is_named_after_its_run(finished: Finished, name: ExportName) -> None:
    viewer = finished.backend.person(Role.viewer)
    answer = finished.get(f"/exports/{name}", viewer)
    assert answer.status_code == 200
    number = finished.get().json()["number"]
    expected = f"an-experiment-run-{number}" + (".zip" if name is ExportName.run_zip else f"-{name}")
    assert answer.headers["content-disposition"] == f'attachment; filename="{expected}"'
    assert answer.headers["cache-control"] == "no-store"
    assert finished.backend.client().get(f"/runs/{finished.id}/exports/{name}").status_code == 401


@pytest.mark.parametrize("name", _TEXTS)
def test_no_file_names_a_person_a_folder_or_an_address(finished: Finished, name: ExportName) -> None:
    text = finished.export(name).decode()
    assert not [told for told in (finished.person.email, FOLDER, ADDRESS) if told in text]


def test_a_link_gives_the_files_but_not_the_archive(finished: Finished) -> None:
    stranger, token = finished.backend.client(), finished.share()
    assert stranger.get(f"/shared/{token}/exports/data.csv").content == finished.export("data.csv")
    assert stranger.get(f"/shared/{token}/exports/run.zip").json()["code"] == "not-shared"
    assert stranger.get("/shared/unknown/exports/data.csv").json()["code"] == "unknown-link"


def test_a_shared_report_and_its_logs_tell_no_address_and_no_folder(finished: Finished) -> None:
    stranger, token = finished.backend.client(), finished.share()
    trial = f"/shared/{token}/trials/{finished.telling}"
    answers = [
        stranger.get(path)
        for path in (f"/shared/{token}", f"{trial}/artefacts", f"{trial}/series", f"{trial}/latency-maps")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200]
    assert not [told for told in (FOLDER, ADDRESS) for answer in answers if told in answer.text]
    assert "client: 127.0.0.1" in answers[1].text, "loopback tells nothing about a host"
    own = finished.person.client.get(f"/trials/{finished.telling}/artefacts")
    assert ADDRESS in own.text, "the owner reads the log as it was written"


def test_the_latency_of_a_trial_over_time_is_the_same_by_a_link(finished: Finished) -> None:
    path = f"/trials/{finished.telling}/latency-maps"
    own = finished.person.client.get(path).raise_for_status().json()
    [found] = own["maps"]
    before, *measured = found["counts"]
    assert before is None
    assert [sum(column) for column in measured] == [len(LATENCIES_US)] * 2
    shared = finished.backend.client().get(f"/shared/{finished.share()}{path}")
    assert shared.json() == own
    assert shared.headers["Cache-Control"] == "no-store"


def test_a_shared_configuration_keeps_its_locations_but_no_address(finished: Finished) -> None:
    report = Report.model_validate(finished.get("/report").json())
    told = "location /home/alice {{ }} location /api/0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab {{ proxy_pass http://{}; }}"
    arms = [arm.model_copy(update={"config": told.format(ADDRESS), "label": FOLDER}) for arm in report.arms]
    shared = redacted_report(report.model_copy(update={"arms": arms}))
    assert {arm.config for arm in shared.arms} == {told.format("<address>")}


def test_links_have_labels_and_count_how_often_they_were_opened(finished: Finished) -> None:
    token = finished.share(label="for the team")
    for _ in range(3):
        finished.backend.client().get(f"/shared/{token}").raise_for_status()
    [share] = [one for one in finished.get("/shares").json()["items"] if one["label"] == "for the team"]
    assert share["opened"] == 3
    assert share["last_opened_at"] is not None


def test_a_link_unfolds_in_a_chat_with_its_verdict(finished: Finished, tmp_path: Path) -> None:
    """Whoever may open the link; a preview is no opening. Names that look like HTML stay text."""
    (tmp_path / "index.html").write_text("<head><title>ngxlab</title></head>")
    headline, token = english(finished.get().json()["headline"]), finished.share(label="for a chat")
    settings = finished.backend.settings.model_copy(update={"frontend_dir": tmp_path})
    with fronted(settings) as pages:
        seen = {
            path: httpx2.get(pages.url + path, timeout=60).text
            for path in (f"/shared/{token}", "/shared/unknown", "/runs")
        }
    told = html.unescape(seen.pop(f"/shared/{token}"))
    assert f'<meta property="og:description" content="{headline[:100]}' in told
    assert f"<title>An experiment #{finished.get().json()['number']} · ngxlab</title>" in told
    assert set(seen.values()) == {"<head><title>ngxlab</title></head>"}
    [share] = [one for one in finished.get("/shares").json()["items"] if one["label"] == "for a chat"]
    assert share["opened"] == 0


def test_a_link_unfolds_without_the_addresses_in_its_name(backend: Backend, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<head></head>")
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment()
    person.client.patch(f"/experiments/{experiment['id']}", json={"name": f"Behind {ADDRESS}"}).raise_for_status()
    body = {"host_id": str(agent.host_id), "seed": 1}
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
    link = person.client.post(f"/runs/{run['id']}/shares", json={}).raise_for_status().json()["url"]
    settings = backend.settings.model_copy(update={"frontend_dir": tmp_path})
    with fronted(settings) as pages:
        told = html.unescape(httpx2.get(f"{pages.url}/shared/{link.rpartition('/')[2]}", timeout=90).text)
    assert ADDRESS not in told
    assert "<title>Behind <address> #1 · ngxlab</title>" in told
    assert '<meta property="og:title" content="Behind <address> #1"' in told


def test_a_report_is_one_page_whose_data_cannot_leave_their_place(finished: Finished, tmp_path: Path) -> None:
    page = tmp_path / "offline" / "report.html"
    page.parent.mkdir()
    (tmp_path / "index.html").write_text("<head></head>")
    page.write_text('<p>before</p><script id="ngxlab-data" type="application/json"></script><p>after</p>')
    settings = finished.backend.settings.model_copy(update={"frontend_dir": tmp_path})
    with fronted(settings) as pages:
        path = f"/api/v1/shared/{finished.share()}/exports/report.html"
        text = httpx2.get(pages.url + path, timeout=60).raise_for_status().text
    before, _, rest = text.partition('<script id="ngxlab-data" type="application/json">')
    data, _, after = rest.partition("</script>")
    assert (before, after) == ("<p>before</p>", "<p>after</p>")
    assert "<" not in data
    read = json.loads(data)
    assert read["report"]["run"]["id"] == finished.id
    assert len(read["series"]) == len(read["latency_maps"]) == len(read["report"]["trials"])
    own = finished.person.client.get(f"/trials/{finished.telling}/latency-maps").json()
    assert own in read["latency_maps"]
    assert not [told for told in (finished.person.email, FOLDER, ADDRESS) if told in text]
    assert finished.get("/exports/report.html").json()["code"] == "no-page", "where the frontend is elsewhere"

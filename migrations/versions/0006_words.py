"""One meaning for each word: tables, columns and stored documents take the names of the glossary"""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Document = dict[str, Any]
_CALL = re.compile(r"(\{[{%][^}%]*?)\bbackend\(")
_PLACE = re.compile(r"@@backend\.")


def upgrade() -> None:
    op.rename_table("trial_part", "trial_host")
    op.rename_table("config_check", "config_test")
    op.alter_column("latency_interval", "measure", new_column_name="quantity")
    _rename_constraints("trial_part", "trial_host")
    _rename_constraints("config_check", "config_test")
    _rewrite("experiment_version", "definition", definition)
    _rewrite("config_test", "definition", definition)
    _rewrite("config_test", "request", request)
    _rewrite("host", "inventory", inventory)
    _rewrite("run_host", "inventory", inventory)
    _rewrite("trial_host", "spec", spec, key=("trial_id", "host_id"))
    _rewrite("trial_host", "endpoints", endpoints, key=("trial_id", "host_id"))
    _rewrite("layout", "series", layout, key=("trial_id", "host_id", "id"), where="series::text LIKE '%backend%'")
    _rewrite("trial_event", "event", event, where="event::text LIKE '%\"backend%'")
    op.execute(
        "UPDATE run_host SET slot = 'upstream' WHERE slot = 'backend' AND NOT EXISTS "
        "(SELECT FROM run_host other WHERE other.run_id = run_host.run_id AND other.slot = 'upstream')"
    )
    op.execute("UPDATE trial SET summary = NULL, checks = NULL")  # computed anew when a report is opened


def downgrade() -> None:
    raise NotImplementedError("the former words are gone")


def _rewrite(
    table: str, column: str, change: Callable[[Any], Any], *, key: tuple[str, ...] = (), where: str = "true"
) -> None:
    """Apply ``change`` to a copy of each row's JSON. ``key``: the primary key if it is not ``id``."""
    names = key or (("run_id", "slot") if table == "run_host" else ("id",))
    connection = op.get_bind()
    rows = sa.table(table, *(sa.column(name) for name in names), sa.column(column, JSONB))
    for row in connection.execute(sa.select(rows).where(sa.text(where))).all():
        changed = change(deepcopy(row[-1])) if row[-1] is not None else None
        if changed != row[-1]:
            same = [rows.c[name] == value for name, value in zip(names, row, strict=False)]
            connection.execute(sa.update(rows).where(*same).values({column: changed}))


def _moved(document: Document, old: str, new: str) -> None:
    if old in document:
        document[new] = document.pop(old)


def _texts(value: Any) -> Any:
    """Fragments, wherever they stand: the function for an upstream server's instances has another name."""
    if isinstance(value, str):
        return _CALL.sub(r"\1servers(", value)
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return {name: _texts(item) for name, item in value.items()} if isinstance(value, dict) else value


def _endpoint(name: str) -> str:
    return f"upstream.{name.removeprefix('backend.')}" if name.startswith("backend.") else name


def definition(raw: Document) -> Document:
    new: Document = _texts(raw)
    _moved(new, "backends", "upstream_servers")
    servers = new.get("upstream_servers", [])
    users = [*servers, *new.get("streams", []), *new.get("perturbations", [])]
    if all(user.get("slot") != "upstream" for user in users):
        for user in users:
            user.update({"slot": "upstream"} if user.get("slot") == "backend" else {})
        if isinstance(new.get("placement"), dict):
            _moved(new["placement"], "backend", "upstream")
    upstreams = new.get("nginx", {}).get("upstreams")
    if upstreams is not None:
        _moved(upstreams, "check", "health_check")
        for group in upstreams.get("groups", []):
            _moved(group, "backend", "server")
            _moved(group, "check", "health_check")
    for perturbation in new.get("perturbations", []):
        _action(perturbation["action"])
    template = new.get("template")
    if template is not None and template["key"] == "dynamic-upstreams":
        _health_checks(new, template["parameters"])
    return new


def _action(action: Document) -> None:
    if "endpoint" in action:
        action["endpoint"] = _endpoint(action["endpoint"])


def _health_checks(new: Document, parameters: Document) -> None:
    """The template's own parameter, and the factor that it becomes."""
    _moved(parameters, "check", "health_checks")
    for factor in new.get("factors", []):
        factor.update({"key": "health_checks"} if factor["key"] == "check" else {})
    design = new.get("design", {})
    for arm in design.get("arms", []):
        _moved(arm["levels"], "check", "health_checks")
    for exclusion in design.get("exclude", []):
        _moved(exclusion["when"], "check", "health_checks")


def _nginx(nginx: Document) -> None:
    nginx["upstream_servers"] = [_endpoint(name) for name in nginx.pop("backends", [])]
    nginx["config"] = _PLACE.sub("@@upstream.", nginx["config"])
    for group in (nginx.get("upstreams") or {}).get("groups", []):
        if "backend" in group:
            group["endpoint"] = _endpoint(group.pop("backend"))
        _moved(group, "check", "health_check")


def spec(new: Document) -> Document:
    _moved(new, "backends", "upstream_servers")
    if new.get("nginx") is not None:
        _nginx(new["nginx"])
    for perturbation in new.get("perturbations", []):
        _action(perturbation["action"])
    return new


def request(new: Document) -> Document:
    _moved(new, "check_id", "test_id")
    for arm in new.get("arms", []):
        _nginx(arm["nginx"])
    return new


def endpoints(announced: list[Document]) -> list[Document]:
    return [{**endpoint, "name": _endpoint(endpoint["name"])} for endpoint in announced]


def inventory(raw: Document) -> Document:
    caps = raw.get("caps")
    if caps is None or "roles" not in caps:
        return raw
    roles = ["upstream" if role == "backend" else role for role in caps["roles"]]
    return {**raw, "caps": {**caps, "roles": roles}}


def layout(series: list[Document]) -> list[Document]:
    return [_series(one) for one in series]


def _series(one: Document) -> Document:
    labels = {("upstream" if name == "backend" else name): value for name, value in one.get("labels", {}).items()}
    if labels.get("role") == "backend":
        labels["role"] = "upstream"
    name = re.sub(r"^backend_", "upstream_", one["name"])
    return {**one, "name": name, "labels": labels}


def event(raw: Document) -> Document:
    if raw.get("kind") == "process" and raw.get("role") == "backend":
        return {**raw, "role": "upstream"}
    return {**raw, "name": _endpoint(raw["name"])} if raw.get("kind") == "endpoint" else raw


def _rename_constraints(old: str, new: str) -> None:
    """Constraints and indexes carry their table's name."""
    op.execute(f"""
        DO $$ DECLARE one record; BEGIN
            FOR one IN SELECT conname FROM pg_constraint WHERE conrelid = '{new}'::regclass AND conname LIKE '%{old}%'
            LOOP
                EXECUTE format('ALTER TABLE {new} RENAME CONSTRAINT %I TO %I', one.conname,
                               replace(one.conname, '{old}', '{new}'));
            END LOOP;
            FOR one IN SELECT indexname FROM pg_indexes WHERE tablename = '{new}' AND indexname LIKE '%{old}%'
            LOOP
                EXECUTE format('ALTER INDEX %I RENAME TO %I', one.indexname, replace(one.indexname, '{old}', '{new}'));
            END LOOP;
        END $$
    """)

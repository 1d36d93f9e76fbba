"""What ``nginx -t`` prints (captured from Debian's nginx 1.22.1), as findings."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_contracts.config_test import ConfigFinding
from ngxlab_worker.config_test import parse_findings

FOLDER = Path("/t/x")
NO_MODULE = (
    'dlopen() "modules/nope.so" failed '
    "(modules/nope.so: cannot open shared object file: No such file or directory)"
)  # fmt: skip
NOT_ROOT = (
    'the "user" directive makes sense only if the master process runs with super-user privileges, ignored'
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("ok", []),
        ("emerg_unknown", [("emerg", 'unknown directive "foo"', 23)]),
        ("upstream_host", [("emerg", 'host not found in upstream "nope.invalid"', 1)]),
        ("dynamic_module", [("emerg", NO_MODULE, 1)]),
        ("included_file", [("emerg", 'unknown directive "bogus" in extra.conf:1', None)]),
        ("quoted_line_break", [("emerg", 'unknown directive "a\nb"', 5)]),
        (
            "warnings_then_emerg",
            [
                ("warn", NOT_ROOT, 1),
                ("warn", 'conflicting server name "a" on 127.0.0.1:10999, ignored', None),
                ("emerg", 'open() "/run/nginx.pid" failed (13: Permission denied)', None),
            ],
        ),
    ],
)
def test_real_output(name: str, findings: list[tuple[str, str, int | None]]) -> None:
    text = (Path(__file__).parent / "golden" / name).read_text()
    assert parse_findings(text, FOLDER) == [
        ConfigFinding(severity=severity, message=message, line=line) for severity, message, line in findings
    ]


@given(text=st.text(max_size=300))
def test_any_output_is_read(text: str) -> None:
    (finding,) = parse_findings(f"nginx: [warn] first\n {text}", FOLDER)[:1]
    assert finding.severity == "warn"
    assert finding.message.startswith("first")

"""The schema of version 0.9.0, which the migrations before it made step by step"""

import re
from pathlib import Path

from alembic import op

revision = "0026"
down_revision = None
branch_labels = None
depends_on = None

_SCHEMA = Path(__file__).parents[1] / "first_schema.sql"


def upgrade() -> None:
    for statement in re.findall(r"(?:[^;$]|\$\$.*?\$\$)+;", _SCHEMA.read_text(), re.DOTALL):
        op.get_bind().exec_driver_sql(statement)

"""``python -m ngxlab.definition.yaml.publish_schema > docs/experiment.schema.json``: the JSON Schema as a file."""

import json
import sys

from ngxlab.definition.yaml.documents import document_schema


def schema_text() -> str:
    return json.dumps(document_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())

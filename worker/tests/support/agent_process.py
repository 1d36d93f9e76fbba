"""An agent's trial process, to be killed: ``python -m tests.support.agent_process FOLDER URL USER ISOLATION TRIAL``."""

import sys
from pathlib import Path
from uuid import UUID

from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.sandbox import Isolation


def main() -> None:
    folder, url, user, isolation, trial_id = sys.argv[1:]
    credential = Credential(host_id=UUID(int=7), credential="secret", backend_url=url, broker_url="redis://unused")
    settings = AgentSettings(folder=Path(folder), run_as=user or None, backend_url=None)
    Agent(settings, credential, Isolation(isolation)).execute(UUID(trial_id))


if __name__ == "__main__":
    main()

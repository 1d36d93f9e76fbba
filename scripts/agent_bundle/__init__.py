"""The bundle that a server gives to machines that become its hosts: the agent, as join.sh installs it.

    own/*.whl             ngxlab's own packages, for every platform
    requirements.txt      what they need, by version and hash
    wheels/*.whl          the same as files, for one Python and architecture; others ask a package index
    engines/MACHINE/      the load engines' programs, compiled here; other architectures compile native/
    ngxlab-agent.service  the service

Standard library only, as all of the set-up.
"""

from scripts.agent_bundle.build import FOLDER, ensure

__all__ = ["FOLDER", "ensure"]

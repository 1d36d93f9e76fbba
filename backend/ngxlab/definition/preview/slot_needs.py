"""What the host in each slot needs."""

from collections.abc import Mapping

from ngxlab.definition.preview.schemas import SlotNeeds
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition


def slot_needs(definition: Definition, arms: list[ResolvedArm]) -> list[SlotNeeds]:
    """By slot, the most that any arm needs. Empty if no arm can be resolved."""
    return [_needs(definition, arms, slot) for slot in definition.slots] if arms else []


def _needs(definition: Definition, arms: list[ResolvedArm], slot: str) -> SlotNeeds:
    own = {stream.key for stream in definition.streams if stream.slot == slot}
    upstream_servers = [upstream for upstream in definition.upstream_servers if upstream.slot == slot]
    is_target = slot == TARGET_SLOT
    roles: Mapping[str, bool] = {"target": is_target, "generator": bool(own), "upstream": bool(upstream_servers)}
    size = sum(files.total_bytes for files in definition.nginx.files) if is_target else 0
    return SlotNeeds.model_validate(
        {
            "slot": slot,
            "roles": [role for role, played in roles.items() if played],
            "streams": sorted(own),
            "upstream_servers": [upstream.key for upstream in upstream_servers],
            "connections": max(_connections(arm, own, is_target=is_target) for arm in arms),
            "processes": max(_processes(arm, own, is_target=is_target) for arm in arms)
            + sum(1 + upstream.workers for upstream in upstream_servers),
            "files_bytes": size,
        }
    )


def _connections(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    """A generator opens its streams' connections, the target accepts those of all; one host may do both."""
    opened = sum(stream.connections for stream in arm.streams if stream.key in own)
    return opened + (sum(stream.connections for stream in arm.streams) if is_target else 0)


def _processes(arm: ResolvedArm, own: set[str], *, is_target: bool) -> int:
    threads = sum(stream.threads for stream in arm.streams if stream.key in own)
    return threads + (arm.workers + 1 if is_target else 0)

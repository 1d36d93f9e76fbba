"""/teams: whose experiments and hosts are not everybody's."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts import teams
from ngxlab.accounts.access import AdministratorInPersonConfirmed, Viewer
from ngxlab.accounts.models import Team
from ngxlab.accounts.schemas import TeamCreate, TeamOut, TeamUpdate
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, responses
from ngxlab.core.paging import Page, Paging

router = APIRouter(route_class=GuardedRoute, prefix="/teams", tags=["accounts"])


@router.get("")
async def list_teams(session: SessionDep, caller: Viewer, page: Paging) -> Page[TeamOut]:
    """The teams that you are in; for administrators, all."""
    return await teams.listed(session, caller, page)


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(Conflict))
async def create_team(body: TeamCreate, session: SessionDep, caller: AdministratorInPersonConfirmed) -> TeamOut:
    """Create a team of these people."""
    team = await teams.create(session, body.name)
    joined, _ = await teams.set_members(session, team, body.members)
    await record(session, caller.actor, Act.team_created, _object(team), joined=joined)
    return await teams.shown(session, team)


@router.patch("/{team_id:uuid}", responses=responses(Conflict))
async def change_team(
    team_id: UUID, body: TeamUpdate, session: SessionDep, caller: AdministratorInPersonConfirmed
) -> TeamOut:
    """Change a team's name or who is in it. Schedules of the team's experiments pause with the people who leave it."""
    team = await teams.get(session, team_id)
    former = team.name
    if body.name is not None:
        await teams.rename(session, team, body.name)
    joined, left = ([], []) if body.members is None else await teams.set_members(session, team, body.members)
    renamed = former if former != team.name else None
    await record(session, caller.actor, Act.team_changed, _object(team), former_name=renamed, joined=joined, left=left)
    return await teams.shown(session, team)


@router.delete("/{team_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(Conflict))
async def remove_team(team_id: UUID, session: SessionDep, caller: AdministratorInPersonConfirmed) -> None:
    """Remove a team to which no experiment and no host belongs."""
    team = await teams.remove(session, team_id)
    await record(session, caller.actor, Act.team_removed, _object(team))


def _object(team: Team) -> Object:
    return Object("team", team.id, team.name)

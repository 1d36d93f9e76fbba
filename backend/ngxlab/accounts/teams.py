"""Teams: people who alone may read an experiment, or run on a host.

What belongs to no team is everybody's. Administrators read and use everything.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy import Select, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import service
from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account, Role, Team, TeamMember
from ngxlab.accounts.schemas import TeamMemberOut, TeamName, TeamOut
from ngxlab.core.errors import Conflict, FieldProblem, Forbidden, existing
from ngxlab.core.paging import Page, PageQuery


def of(account_id: UUID) -> Select[UUID]:
    """The teams that somebody is in."""
    return select(TeamMember.team_id).where(TeamMember.account_id == account_id)


async def listed(session: AsyncSession, caller: Caller, page: PageQuery) -> Page[TeamOut]:
    """The caller's own teams with their members; for administrators all."""
    query = select(Team).order_by(Team.name)
    if caller.account.role != Role.administrator:
        query = query.where(Team.id.in_(of(caller.account.id)))
    return page.of([await shown(session, team) for team in await session.scalars(query)])


async def shown(session: AsyncSession, team: Team) -> TeamOut:
    members = select(Account).join(TeamMember, TeamMember.account_id == Account.id)
    found = await session.scalars(members.where(TeamMember.team_id == team.id).order_by(Account.email))
    return TeamOut(id=team.id, name=team.name, members=[TeamMemberOut.model_validate(one) for one in found])


async def get(session: AsyncSession, team_id: UUID) -> Team:
    """Locked, so that two who change it follow each other."""
    return existing(await session.get(Team, team_id, with_for_update=True), "team")


async def create(session: AsyncSession, name: str) -> Team:
    """Raises Conflict for a name that another has."""
    team = Team(name=name)
    session.add(team)
    await _named(session, name)
    return team


async def rename(session: AsyncSession, team: Team, name: str) -> None:
    """Raises Conflict for a name that another has."""
    team.name = name
    await _named(session, name)


async def _named(session: AsyncSession, name: str) -> None:
    try:
        await session.flush()
    except IntegrityError as error:
        problem = FieldProblem(field="name", message=say("There is a team named {name} already.", name=name))
        raise Conflict(problem.message, code="name-taken", errors=[problem]) from error


async def remove(session: AsyncSession, team_id: UUID) -> Team:
    """Raises Conflict while anything belongs to it, which would otherwise become everybody's."""
    team = await get(session, team_id)
    try:
        await session.execute(delete(Team).where(Team.id == team_id))
    except IntegrityError as error:
        raise Conflict(
            "Experiments or hosts belong to {team}. Give them to another team or to everybody first.",
            team=team.name,
            code="team-owns-something",
        ) from error
    return team


async def set_members(session: AsyncSession, team: Team, wanted: Collection[UUID]) -> tuple[list[str], list[str]]:
    """The addresses of those who joined by this, and of those who left. Raises NotFound for an unknown account."""
    people = [await service.get(session, account_id) for account_id in dict.fromkeys(wanted)]
    members = {one.id: one.email for one in (await shown(session, team)).members}
    joining = [one for one in people if one.id not in members]
    leaving = members.keys() - set(wanted)
    session.add_all(TeamMember(team_id=team.id, account_id=one.id) for one in joining)
    await session.execute(delete(TeamMember).where(TeamMember.team_id == team.id, TeamMember.account_id.in_(leaving)))
    await session.flush()
    return sorted(one.email for one in joining), sorted(members[one] for one in leaving)


async def require_member(session: AsyncSession, caller: Caller, team_id: UUID | None, what: str) -> None:
    """For what belongs to a team. Raises Forbidden for others, NotFound for a team that does not exist."""
    if team_id is None:
        return
    existing(await session.get(Team, team_id), "team")
    if caller.account.role == Role.administrator:
        return
    if await session.get(TeamMember, (team_id, caller.account.id)) is None:
        raise Forbidden("{what} belongs to a team that you are not in.", what=what, code="team")


async def name_of(session: AsyncSession, team_id: UUID | None) -> TeamName | None:
    return TeamName.model_validate(existing(await session.get(Team, team_id), "team")) if team_id is not None else None


async def names_of(session: AsyncSession, team_ids: Sequence[UUID | None]) -> dict[UUID, TeamName]:
    wanted = {team_id for team_id in team_ids if team_id is not None}
    found = await session.scalars(select(Team).where(Team.id.in_(wanted))) if wanted else ()
    return {team.id: TeamName.model_validate(team) for team in found}

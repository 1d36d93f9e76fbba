import { t } from '@lingui/core/macro';
import type { HostSummary } from '@/api/generated';
import { blankDraft, type Draft, type DraftFactor, type DraftLevel } from './draft';
import { keysOf, slug, uniqueKey } from './values';

const BUILD_KEY = /^[a-z0-9][a-z0-9._-]*$/;

function levelOf(
  { name, version, path }: HostSummary['nginx'][number],
  before: readonly DraftLevel[],
): DraftLevel {
  const build = BUILD_KEY.test(name) ? name : slug(path);
  const label = before.some((level) => level.label === version) ? `${version} (${path})` : version;
  return { key: uniqueKey(slug(build), keysOf(before)), label, variables: [], build };
}

/** Two builds of the first host that has two; what is missing is left for a person to name. */
export function levelsOfBuilds(hosts: readonly HostSummary[]): DraftLevel[] {
  const online = hosts.filter(({ state }) => state !== 'offline');
  const host = online.find(({ nginx }) => nginx.length > 1) ?? online[0];
  const levels: DraftLevel[] = [];
  for (const nginx of (host?.nginx ?? []).slice(0, 2)) levels.push(levelOf(nginx, levels));
  while (levels.length < 2)
    levels.push({ key: `build-${levels.length + 1}`, label: t`Another build`, variables: [], build: '' });
  return levels;
}

/** A factor whose levels are builds of nginx. */
export function factorOfBuilds(
  hosts: readonly HostSummary[],
  others: readonly DraftFactor[] = [],
): DraftFactor {
  return { key: uniqueKey('build', keysOf(others)), label: t`nginx build`, levels: levelsOfBuilds(hosts) };
}

/** A new experiment that compares two builds of nginx under one configuration and load. */
export function buildsDraft(hosts: readonly HostSummary[]): Draft {
  const factor = factorOfBuilds(hosts);
  return {
    ...blankDraft(),
    name: t`Two nginx builds`,
    question: t`Does the one build of nginx serve more, or faster, than the other?`,
    factors: [factor],
    baseline: factor.levels[0]?.key ?? '',
  };
}

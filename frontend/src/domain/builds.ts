import type { Definition, HostSummary } from '@/api/generated';

type HostNginx = HostSummary['nginx'][number];

interface Naming {
  factors?: readonly { levels: readonly { build?: string | null }[] }[];
  nginx?: { build?: string | null };
}

/** What levels, or nginx itself, call the nginx that arms run: each once. */
export function buildsOfDefinition(definition: Naming | Pick<Definition, 'factors' | 'nginx'>): string[] {
  const levels = (definition.factors ?? []).flatMap((factor) => factor.levels);
  const named = [...levels.map(({ build }) => build), definition.nginx?.build];
  return [...new Set(named.filter((build) => typeof build === 'string'))];
}

/**
 * A binary for each build: the chosen one, else the one that answers to its name, else the first that no other build
 * takes. By path; a build is left out where the host has no nginx.
 */
export function bindBuilds(
  builds: readonly string[],
  registered: readonly HostNginx[],
  chosen: Readonly<Record<string, string>>,
): Record<string, string> {
  const bound: Record<string, string> = {};
  const isThere = (path: string | undefined) => registered.some((one) => one.path === path);
  for (const build of builds) {
    const meant = registered.filter(({ names }) => names.includes(build));
    if (isThere(chosen[build])) bound[build] = chosen[build] as string;
    else if (meant.length === 1) bound[build] = meant[0]?.path ?? '';
  }
  for (const build of builds) {
    if (build in bound) continue;
    const free = registered.find(({ path }) => !Object.values(bound).includes(path)) ?? registered[0];
    if (free) bound[build] = free.path;
  }
  return bound;
}

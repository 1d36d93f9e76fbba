import type { ReportTrial, TrialHostSummary } from '@/api/generated';

type Measured = Pick<TrialHostSummary, 'name' | 'roles' | 'agent_cpu_percent' | 'sampling' | 'server'>;

/** What one part of the product took. `name`: the agent, the server as a whole, or one of its services. */
export interface PartCost {
  name: string;
  /** Percent of one core; `null` where no trial knows. */
  cpu: number | null;
  cpuHighest: number | null;
}

/** What measuring took on one host, over the trials that are used. */
export interface HostCost {
  name: string;
  roles: string[];
  trials: number;
  /** The agent, and the server where it is on this host. */
  parts: PartCost[];
  /** Trials in which services of the server began or ended, so that nobody knows what they took. */
  changed: number;
  /** Percent of the readings that were due. */
  missing: number | null;
}

export const AGENT = 'agent';
export const SERVER = 'server';

/** Summaries of earlier versions know the target only. */
function hostsOf({ hosts, agent_cpu_percent, sampling }: ReportTrial['summary']): Measured[] {
  return hosts?.length ? hosts : [{ name: 'target', roles: ['target'], agent_cpu_percent, sampling }];
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.length ? middle.reduce((sum, value) => sum + value, 0) / middle.length : null;
}

function partCost(name: string, cpu: readonly number[]): PartCost {
  return { name, cpu: median(cpu), cpuHighest: cpu.length ? Math.max(...cpu) : null };
}

function serverCosts(measured: readonly Measured[]): PartCost[] {
  const known = measured.flatMap(({ server }): Record<string, number>[] =>
    server && !server.is_changed ? [server.cpu_percent_by_service] : [],
  );
  if (known.length === 0) return [];
  const together = known.map((services) => Object.values(services).reduce((sum, cpu) => sum + cpu, 0));
  const names = [...new Set(known.flatMap(Object.keys))].sort();
  return [
    partCost(SERVER, together),
    ...names.map((name) =>
      partCost(
        name,
        known.flatMap((services) => services[name] ?? []),
      ),
    ),
  ];
}

function costOf(name: string, measured: readonly Measured[]): HostCost {
  const agent = measured.flatMap(({ agent_cpu_percent }) => agent_cpu_percent ?? []);
  return {
    name,
    roles: [...new Set(measured.flatMap(({ roles }) => roles))],
    trials: measured.length,
    parts: [partCost(AGENT, agent), ...serverCosts(measured)],
    changed: measured.filter(({ server }) => server?.is_changed).length,
    missing: median(measured.flatMap(({ sampling }) => sampling?.missing_percent ?? [])),
  };
}

/** Host by host, in the order in which the trials name them. */
export function costs(trials: readonly ReportTrial[]): HostCost[] {
  const measured = trials.filter(({ summary }) => summary.usable).flatMap(({ summary }) => hostsOf(summary));
  const names = [...new Set(measured.map(({ name }) => name))];
  return names.map((name) =>
    costOf(
      name,
      measured.filter((one) => one.name === name),
    ),
  );
}

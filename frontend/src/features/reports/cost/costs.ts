import type { ReportTrial, TrialHostSummary } from '@/api/generated';

type Measured = Pick<TrialHostSummary, 'name' | 'roles' | 'agent_cpu_percent' | 'sampling'>;

/** What measuring took on one host, over the trials that are used. */
export interface HostCost {
  name: string;
  roles: string[];
  trials: number;
  /** Percent of one core; `null` where no trial knows. */
  cpu: number | null;
  cpuHighest: number | null;
  /** Percent of the readings that were due. */
  missing: number | null;
}

/** Summaries of earlier versions know the target only. */
function hostsOf({ hosts, agent_cpu_percent, sampling }: ReportTrial['summary']): Measured[] {
  return hosts?.length ? hosts : [{ name: 'target', roles: ['target'], agent_cpu_percent, sampling }];
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.length ? middle.reduce((sum, value) => sum + value, 0) / middle.length : null;
}

function costOf(name: string, measured: readonly Measured[]): HostCost {
  const cpu = measured.flatMap(({ agent_cpu_percent }) => agent_cpu_percent ?? []);
  return {
    name,
    roles: [...new Set(measured.flatMap(({ roles }) => roles))],
    trials: measured.length,
    cpu: median(cpu),
    cpuHighest: cpu.length ? Math.max(...cpu) : null,
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

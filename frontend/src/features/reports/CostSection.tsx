import { plural, t } from '@lingui/core/macro';
import type { Report, ReportTrial, TrialHostSummary } from '@/api/generated';
import type { Column } from '@/components/ui/table/DataTable';
import { formatValue } from '@/lib/format';
import { Section } from './contents/Section';
import { GroupedTable } from './tables';

type Measured = Pick<TrialHostSummary, 'name' | 'roles' | 'agent_cpu_percent' | 'sampling' | 'server'>;

/** What one part of the product took. `id`: the agent, the server as a whole, or one of its services. */
interface PartCost {
  id: string;
  /** Percent of one core; `null` where no trial knows. */
  cpu: number | null;
  cpuHighest: number | null;
}

const AGENT = 'agent';
const SERVER = 'server';

/** Summaries of earlier versions know the target only. */
function hostsOf({ hosts, agent_cpu_percent, sampling }: ReportTrial['summary']): Measured[] {
  return hosts?.length ? hosts : [{ name: 'target', roles: ['target'], agent_cpu_percent, sampling }];
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.length ? middle.reduce((sum, value) => sum + value, 0) / middle.length : null;
}

function partCost(id: string, cpu: readonly number[]): PartCost {
  return { id, cpu: median(cpu), cpuHighest: cpu.length ? Math.max(...cpu) : null };
}

function serverCosts(measured: readonly Measured[]): PartCost[] {
  const known = measured.flatMap(({ server }): Record<string, number>[] =>
    server && !server.is_changed ? [server.cpu_percent_by_service] : [],
  );
  if (known.length === 0) return [];
  const together = known.map((services) => Object.values(services).reduce((sum, cpu) => sum + cpu, 0));
  const names = [...new Set(known.flatMap(Object.keys))].sort();
  const of = (name: string) => known.flatMap((services) => services[name] ?? []);
  return [partCost(SERVER, together), ...names.map((name) => partCost(name, of(name)))];
}

/** What measuring took on one host, over the trials that are used. */
function costOf(id: string, measured: readonly Measured[]) {
  const agent = measured.flatMap(({ agent_cpu_percent }) => agent_cpu_percent ?? []);
  return {
    id,
    roles: [...new Set(measured.flatMap(({ roles }) => roles))],
    trials: measured.length,
    /** The agent, and the server where it is on this host. */
    parts: [partCost(AGENT, agent), ...serverCosts(measured)],
    /** Trials in which services of the server began or ended, so that nobody knows what they took. */
    changed: measured.filter(({ server }) => server?.is_changed).length,
    /** Percent of the readings that were due. */
    missing: median(measured.flatMap(({ sampling }) => sampling?.missing_percent ?? [])),
  };
}

type HostCost = ReturnType<typeof costOf>;

/** Host by host, in the order in which the trials name them. */
function costs(trials: readonly ReportTrial[]): HostCost[] {
  const measured = trials.filter(({ summary }) => summary.usable).flatMap(({ summary }) => hostsOf(summary));
  const names = [...new Set(measured.map(({ name }) => name))];
  const on = (host: string) => measured.filter(({ name }) => name === host);
  return names.map((name) => costOf(name, on(name)));
}

const PROGRAMS: Record<string, string> = { postgres: 'PostgreSQL', redis: 'Redis' };

function partName({ id }: PartCost): string {
  const names: Record<string, string> = { [AGENT]: t`agent`, [SERVER]: t`server, all services` };
  return names[id] ?? `· ${PROGRAMS[id] ?? id}`;
}

const hostColumns = (): Column<HostCost>[] => [
  { name: t`Host`, cell: ({ id }) => id },
  { name: t`Roles`, cell: ({ roles }) => roles.join(', ') },
  { name: t`Trials`, align: 'right', cell: ({ trials }) => trials },
  { name: t`Readings missing, median`, align: 'right', cell: ({ missing }) => formatValue(missing, '%') },
];

const partColumns = (): Column<PartCost>[] => [
  { name: t`Part of ngxlab`, cell: partName },
  { name: t`CPU, median`, align: 'right', cell: ({ cpu }) => formatValue(cpu, '%') },
  { name: t`CPU, highest`, align: 'right', cell: ({ cpuHighest }) => formatValue(cpuHighest, '%') },
];

function noteOn(hosts: readonly HostCost[]): string {
  const changed = Math.max(...hosts.map((host) => host.changed));
  const notes = [
    t`CPU time in the measured window, of one core; over the trials that are used. nginx and the load are not part of it. Agent: its process that measures.`,
    hosts.some(({ parts }) => parts.length > 1)
      ? t`Server: its services on the same machine, which share it with what is measured.`
      : t`No agent knows of a server on its machine: agents know those that “make up” has started beside them.`,
    changed > 0 &&
      plural(changed, {
        one: 'In # trial, services of the server began or ended, so that nobody knows what they took.',
        other: 'In # trials, services of the server began or ended, so that nobody knows what they took.',
      }),
    hosts.some(({ parts }) => parts.some(({ cpu }) => cpu === null)) &&
      t`“–”: the host’s kernel does not tell, or too few readings fell into the window.`,
  ];
  return notes.filter(Boolean).join(' ');
}

/** What the product itself took on each host while it measured. */
export function CostSection({ report }: { report: Report }) {
  const hosts = costs(report.trials);
  if (hosts.length === 0) return null;

  return (
    <Section flush id="cost-of-measuring" title={t`Cost of measuring`} note={noteOn(hosts)}>
      <GroupedTable
        groups={hosts}
        rowsOf={({ parts }) => parts}
        groupColumns={hostColumns()}
        columns={partColumns()}
        minWidth={640}
      />
    </Section>
  );
}

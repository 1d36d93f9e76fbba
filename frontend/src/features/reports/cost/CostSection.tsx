import { plural, t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { Report } from '@/api/generated';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import tables from '../tables.module.css';
import { AGENT, costs, type HostCost, type PartCost, SERVER } from './costs';

const columns = () => [
  t`Host`,
  t`Roles`,
  ...numeric(t`Trials`, t`Readings missing, median`),
  t`Part of ngxlab`,
  ...numeric(t`CPU, median`, t`CPU, highest`),
];

const PROGRAMS: Record<string, string> = { postgres: 'PostgreSQL', redis: 'Redis' };

function partName({ name }: PartCost): string {
  const names: Record<string, string> = { [AGENT]: t`agent`, [SERVER]: t`server, all services` };
  return names[name] ?? `· ${PROGRAMS[name] ?? name}`;
}

/** How to read the figures. */
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

function HostRows({ host }: { host: HostCost }) {
  const rowSpan = host.parts.length;
  return (
    <Table.Tbody>
      {host.parts.map((part, place) => (
        <Table.Tr key={part.name}>
          {place === 0 && (
            <>
              <Table.Th scope="rowgroup" rowSpan={rowSpan} className={tables.metric}>
                {host.name}
              </Table.Th>
              <Table.Td rowSpan={rowSpan} valign="top">
                {host.roles.join(', ')}
              </Table.Td>
              <Table.Td rowSpan={rowSpan} ta="right" valign="top">
                {host.trials}
              </Table.Td>
              <Table.Td rowSpan={rowSpan} ta="right" valign="top">
                {formatValue(host.missing, '%')}
              </Table.Td>
            </>
          )}
          <Table.Td>{partName(part)}</Table.Td>
          <Table.Td ta="right">{formatValue(part.cpu, '%')}</Table.Td>
          <Table.Td ta="right">{formatValue(part.cpuHighest, '%')}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

/** What the product itself took on each host while it measured. */
export function CostSection({ report }: { report: Report }) {
  const hosts = costs(report.trials);
  if (hosts.length === 0) return null;

  return (
    <Section flush id="cost-of-measuring" title={t`Cost of measuring`} note={noteOn(hosts)}>
      <WideTable minWidth={640}>
        <Table verticalSpacing={4}>
          <HeadRow columns={columns()} />
          {hosts.map((host) => (
            <HostRows key={host.name} host={host} />
          ))}
        </Table>
      </WideTable>
    </Section>
  );
}

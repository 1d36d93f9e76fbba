import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { Report } from '@/api/generated';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { costs } from './costs';

const columns = () => [
  t`Host`,
  t`Roles`,
  ...numeric(t`Trials`, t`Agent’s CPU, median`, t`Agent’s CPU, highest`, t`Readings missing, median`),
];

/** How to read the figures; `isUnknown`: some are missing. */
function noteOn(isUnknown: boolean): string {
  const all = t`CPU time of the agent’s process that measures, in the measured window, of one core; over the trials that are used. nginx and the load are not part of it, nor is a server on the same machine.`;
  if (!isUnknown) return all;
  return `${all} ${t`“–”: the host’s kernel does not tell, or too few readings fell into the window.`}`;
}

/** What the product itself took on each host while it measured. */
export function CostSection({ report }: { report: Report }) {
  const hosts = costs(report.trials);
  if (hosts.length === 0) return null;

  return (
    <Section
      flush
      id="cost-of-measuring"
      title={t`Cost of measuring`}
      note={noteOn(hosts.some(({ cpu }) => cpu === null))}
    >
      <WideTable minWidth={560}>
        <Table verticalSpacing={4}>
          <HeadRow columns={columns()} />
          <Table.Tbody>
            {hosts.map((host) => (
              <Table.Tr key={host.name}>
                <Table.Td>{host.name}</Table.Td>
                <Table.Td>{host.roles.join(', ')}</Table.Td>
                <Table.Td ta="right">{host.trials}</Table.Td>
                <Table.Td ta="right">{formatValue(host.cpu, '%')}</Table.Td>
                <Table.Td ta="right">{formatValue(host.cpuHighest, '%')}</Table.Td>
                <Table.Td ta="right">{formatValue(host.missing, '%')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

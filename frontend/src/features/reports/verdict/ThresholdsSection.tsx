import { Table } from '@mantine/core';
import type { Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { type Outcome, OutcomeBadge } from '@/components/states/OutcomeBadge';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex, armLabel } from '@/domain/trials';
import { Section } from '../contents/Section';

const OVERALL: Record<Outcome, string> = {
  pass: 'All thresholds are met: the run passes.',
  fail: 'Not all thresholds are met: the run fails.',
  undecided: 'The intervals do not decide every threshold: more blocks may.',
  not_valid: 'A validity check voids these results: the run neither passes nor fails.',
};

/** What the experiment asks of a run, and whether each arm keeps it. */
export function ThresholdsSection({ report }: { report: Report }) {
  const { thresholds, arms, outcome } = report;
  if (thresholds.length === 0) return null;
  return (
    <Section title="Thresholds" flush note={outcome ? OVERALL[outcome] : 'Not known yet.'}>
      <WideTable minWidth={560}>
        <Table verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Threshold</Table.Th>
              <Table.Th>Arm</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th>Observed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {thresholds.map((result) => (
              <Table.Tr key={`${result.text} ${result.arm}`}>
                <Table.Td>
                  <code>{result.text}</code>
                </Table.Td>
                <Table.Td>
                  <ArmMark index={armIndex(arms, result.arm)} label={armLabel(arms, result.arm)} />
                </Table.Td>
                <Table.Td>
                  <OutcomeBadge outcome={result.outcome} />
                </Table.Td>
                <Table.Td c="var(--text-dim)">{result.message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

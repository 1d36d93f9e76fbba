import { Table } from '@mantine/core';
import type { ArmAnalysis, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex } from '@/domain/trials';
import { Section } from '../contents/Section';

function BottleneckRow({ report, arm }: { report: Report; arm: ArmAnalysis }) {
  const limit = arm.bottleneck;
  if (!limit) return null;
  const several = limit.of_trials > 1 ? `${limit.trials} of ${limit.of_trials} trials` : '1 trial';
  return (
    <Table.Tr>
      <Table.Td>
        <ArmMark index={armIndex(report.arms, arm.key)} label={arm.label} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{limit.resource ?? 'none found'}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{several}</Table.Td>
      <Table.Td>{limit.evidence}.</Table.Td>
    </Table.Tr>
  );
}

/** What kept each arm from serving more, with its evidence. */
export function BottleneckSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  if (!arms.some(({ bottleneck }) => bottleneck)) return null;
  return (
    <Section
      flush
      title="Bottleneck"
      note="The resource at its limit: by utilisation, saturation and errors (USE method). “None found” names what was measured."
    >
      <WideTable minWidth={700}>
        <Table verticalSpacing={4}>
          <HeadRow columns={['Arm', 'Limited by', 'In', 'Evidence']} />
          <Table.Tbody>
            {arms.map((arm) => (
              <BottleneckRow key={arm.key} report={report} arm={arm} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

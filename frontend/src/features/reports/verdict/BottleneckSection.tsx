import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { ArmAnalysis, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { ServerText } from '@/components/ui/language/ServerText';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';

function BottleneckRow({ report, arm }: { report: Report; arm: ArmAnalysis }) {
  const limit = arm.bottleneck;
  if (!limit) return null;
  const { trials, of_trials: all } = limit;
  const several = all > 1 ? t`${trials} of ${all} trials` : t`1 trial`;
  return (
    <Table.Tr>
      <Table.Td>
        <ArmMark index={armIndex(report.arms, arm.key)} label={arm.label} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {limit.resource ? said(limit.resource) : t`none found`}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{several}</Table.Td>
      <Table.Td>
        <ServerText text={`${limit.evidence}.`} />
      </Table.Td>
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
      id="bottleneck"
      title={t`Bottleneck`}
      note={t`The resource at its limit: by utilisation, saturation and errors (USE method). “None found” names what was measured.`}
    >
      <WideTable minWidth={700}>
        <Table verticalSpacing={4}>
          <HeadRow columns={[t`Arm`, t`Limited by`, t({ message: 'In', context: 'trials' }), t`Evidence`]} />
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

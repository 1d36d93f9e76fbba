import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import type { Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { type Outcome, OutcomeBadge } from '@/components/runs/RunStates';
import { ServerText } from '@/components/ui/language/ServerText';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex, armLabel } from '@/domain/trials';
import { Section } from '../contents/Section';

const overall = (): Record<Outcome, string> => ({
  pass: t`All thresholds are met: the run passes.`,
  fail: t`Not all thresholds are met: the run fails.`,
  undecided: t`The intervals do not decide every threshold: more blocks may.`,
  not_valid: t`A validity check voids these results: the run neither passes nor fails.`,
});

/** What the experiment asks of a run, and whether each arm keeps it. */
export function ThresholdsSection({ report }: { report: Report }) {
  const { thresholds, arms, outcome } = report;
  if (thresholds.length === 0) return null;
  return (
    <Section
      id="thresholds"
      title={t`Thresholds`}
      flush
      note={outcome ? overall()[outcome] : t`Not known yet.`}
    >
      <WideTable minWidth={560}>
        <Table verticalSpacing={5}>
          <HeadRow columns={[t`Threshold`, t`Arm`, t`Result`, t`Observed`]} />
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
                <Table.Td c="var(--text-dim)">
                  <ServerText text={result.message} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

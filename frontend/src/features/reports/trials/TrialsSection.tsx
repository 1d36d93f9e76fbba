import { plural, t } from '@lingui/core/macro';
import { Button, Modal, Skeleton, Table } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { Report, ReportTrial } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { lazyPart } from '@/components/ui/lazyPart';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { nameOfState } from '@/domain/states';
import { armIndex, armLabel } from '@/domain/trials';
import { formatNumber, formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { useReportNotes } from '../notes';
import { Percentile } from '../Percentile';
import tables from '../tables.module.css';
import classes from './TrialsSection.module.css';

const TrialDialog = lazyPart(() => import('./TrialDialog').then(({ TrialDialog }) => TrialDialog));

function Counts({ summary }: { summary: ReportTrial['summary'] }) {
  const counts = summary.streams.flatMap((stream) => stream.accounting ?? []);
  const sum = (pick: (count: (typeof counts)[number]) => number | null) =>
    counts.length === 0
      ? null
      : counts.reduce<number | null>((total, count) => {
          const value = pick(count);
          return total === null || value === null ? null : total + value;
        }, 0);
  const worst = Math.max(...counts.map((count) => count.max_disagreement_percent ?? Number.NaN));
  return (
    <>
      <Table.Td className={tables.number}>{formatNumber(sum((count) => count.live_requests))}</Table.Td>
      <Table.Td className={tables.number}>{formatNumber(sum((count) => count.printed_requests))}</Table.Td>
      <Table.Td className={tables.number}>{formatNumber(sum((count) => count.stub_requests))}</Table.Td>
      <Table.Td className={tables.number}>{formatValue(worst, '%')}</Table.Td>
    </>
  );
}

interface RowProps {
  report: Report;
  entry: ReportTrial;
  /** The number of notes on the trial. */
  notes: number;
  onOpen: () => void;
}

function TrialRow({ report, entry: { trial, summary }, notes, onOpen }: RowProps) {
  const state = nameOfState(trial.state);
  return (
    <Table.Tr data-unusable={!summary.usable || undefined} className={classes.trial}>
      <Table.Td>{trial.position + 1}</Table.Td>
      <Table.Td>{trial.block}</Table.Td>
      <Table.Td title={summary.unusable_reason ?? undefined}>
        <ArmMark index={armIndex(report.arms, trial.arm)} label={armLabel(report.arms, trial.arm)} />
        {!summary.usable && ` ${t`(${state}, not used)`}`}
      </Table.Td>
      <Table.Td className={tables.number}>{formatValue(summary.requests_per_s, '')}</Table.Td>
      <Table.Td className={tables.number}>
        <Percentile latency={summary.latency} field="p99_us" />
      </Table.Td>
      <Counts summary={summary} />
      <Table.Td ta="right" className="no-print">
        <Button variant="subtle" color="gray" size="compact-xs" onClick={onOpen}>
          {notes > 0 ? t`Details, ${plural(notes, { one: '# note', other: '# notes' })}` : t`Details`}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const columns = () => [
  t`Order`,
  t`Block`,
  t`Arm`,
  ...numeric(t`Requests/s`, 'p99', t`Live histogram`, t`Generator total`, 'stub_status', t`Difference`),
  { name: t`Details`, hidden: true },
];

function nameOf({ trial }: ReportTrial): string {
  const number = trial.position + 1;
  return t`Trial ${number}`;
}

const inOrder = (a: ReportTrial, b: ReportTrial) =>
  a.trial.position - b.trial.position || a.trial.attempt - b.trial.attempt;

/** Each trial: its figures, and whether three independent counts of the same requests agree. */
export function TrialsSection({ report }: { report: Report }) {
  const [open, setOpen] = useState<ReportTrial | null>(null);

  const notes = useReportNotes(report);
  const notesOn = (id: string) => notes.filter(({ trial_id }) => trial_id === id).length;
  return (
    <Section
      flush
      id="trials-and-request-counts"
      title={t`Trials and request counts`}
      note={t`Three counts of the same requests over the generator's whole run, including warm-up: read live, printed by the generator at its end, and counted by nginx (stub_status without ngxlab's own requests).`}
    >
      <WideTable minWidth={900}>
        <Table verticalSpacing={4}>
          <HeadRow columns={columns()} />
          <Table.Tbody>
            {[...report.trials].sort(inOrder).map((entry) => (
              <TrialRow
                key={entry.trial.id}
                report={report}
                entry={entry}
                notes={notesOn(entry.trial.id)}
                onOpen={() => setOpen(entry)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Modal opened={open !== null} onClose={() => setOpen(null)} size="xl" title={open && nameOf(open)}>
        <Suspense fallback={<Skeleton height={240} />}>
          {open && <TrialDialog report={report} entry={open} />}
        </Suspense>
      </Modal>
    </Section>
  );
}

import { plural, t } from '@lingui/core/macro';
import { Button, Modal, Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { Report, ReportTrial, StreamSummary } from '@/api/generated';
import { lazyPart } from '@/components/ui/lazyPart';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { nameOfState } from '@/domain/states';
import { formatNumber, formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { useReportNotes } from '../notes';
import { figureColumn, Percentile, ReportArm } from '../tables';
import classes from './TrialsSection.module.css';

const TrialDialog = lazyPart(() => import('./TrialDialog').then(({ TrialDialog }) => TrialDialog));

type Count = NonNullable<StreamSummary['accounting']>;
type Kind = 'live_requests' | 'printed_requests' | 'stub_requests';

const countsOf = ({ summary }: ReportTrial) => summary.streams.flatMap(({ accounting }) => accounting ?? []);

function together(counts: readonly Count[], kind: Kind): number | null {
  const known = counts.flatMap((count) => count[kind] ?? []);
  return counts.length > 0 && known.length === counts.length ? known.reduce((sum, one) => sum + one) : null;
}

const countColumn = (name: string, kind: Kind) =>
  figureColumn<Row>(name, (entry) => formatNumber(together(countsOf(entry), kind)));

const largestDifference = (entry: ReportTrial) =>
  Math.max(...countsOf(entry).map((count) => count.max_disagreement_percent ?? Number.NaN));

interface Row extends ReportTrial {
  /** The number of notes on the trial. */
  notes: number;
}

function ArmOfTrial({ arms, row: { trial, summary } }: { arms: Report['arms']; row: Row }) {
  const state = nameOfState(trial.state);
  return (
    <span data-unusable={!summary.usable || undefined} title={summary.unusable_reason ?? undefined}>
      <ReportArm arms={arms} arm={trial.arm} />
      {!summary.usable && ` ${t`(${state}, not used)`}`}
    </span>
  );
}

const columnsOf = (
  arms: Report['arms'],
  rows: readonly Row[],
  open: (entry: ReportTrial) => void,
): Column<Row>[] => [
  { name: t`Order`, cell: ({ trial }) => trial.position + 1 },
  { name: t`Block`, cell: ({ trial }) => trial.block },
  { name: t`Arm`, cell: (row) => <ArmOfTrial arms={arms} row={row} /> },
  figureColumn(t`Requests/s`, ({ summary }) => formatValue(summary.requests_per_s, '')),
  figureColumn('p99', ({ summary }) => (
    <Percentile latency={summary.latency} field="p99_us" peers={rows.map((row) => row.summary.latency)} />
  )),
  countColumn(t`Live histogram`, 'live_requests'),
  countColumn(t`Generator total`, 'printed_requests'),
  countColumn('stub_status', 'stub_requests'),
  figureColumn(t`Difference`, (entry) => formatValue(largestDifference(entry), '%')),
  {
    name: t`Details`,
    hidden: true,
    look: { ta: 'right', className: 'no-print' },
    cell: (entry) => {
      const { notes } = entry;
      return (
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => open(entry)}>
          {notes > 0 ? t`Details, ${plural(notes, { one: '# note', other: '# notes' })}` : t`Details`}
        </Button>
      );
    },
  },
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
  const rows = report.trials.toSorted(inOrder).map((entry) => {
    const { id } = entry.trial;
    return { ...entry, id, notes: notes.filter(({ trial_id }) => trial_id === id).length };
  });
  return (
    <Section
      flush
      id="trials-and-request-counts"
      title={t`Trials and request counts`}
      note={t`Three counts of the same requests over the generator's whole run, including warm-up: read live, printed by the generator at its end, and counted by nginx (stub_status without ngxlab's own requests).`}
    >
      <DataTable
        columns={columnsOf(report.arms, rows, setOpen)}
        rows={rows}
        minWidth={900}
        verticalSpacing={4}
        className={classes.trials}
      />
      <Modal opened={open !== null} onClose={() => setOpen(null)} size="xl" title={open && nameOf(open)}>
        <Suspense fallback={<Skeleton height={240} />}>
          {open && <TrialDialog report={report} entry={open} />}
        </Suspense>
      </Modal>
    </Section>
  );
}

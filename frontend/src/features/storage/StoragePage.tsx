import { plural, t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getStorageOptions, type LargeRun, type StorageUse } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { RunMenu } from '@/components/runs/RunMenu';
import { StarButton } from '@/components/runs/StarButton';
import { Dim } from '@/components/ui/Dim';
import { EmptyState } from '@/components/ui/EmptyState';
import { Facts } from '@/components/ui/Facts';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import classes from '@/components/ui/table/rows.module.css';
import { formatBytes, formatDuration } from '@/lib/format';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';

function rule(days: number | null): string {
  return days === null
    ? t`None: raw data stays (NGXLAB_KEEP_RAW_DAYS)`
    : t`Removed after ${days} days, unless the run is starred, shared or a calibration`;
}

const trials = (count: number) =>
  count > 0 ? plural(count, { other: '# trials of deleted or old runs' }) : '';

const runs = (count: number) => (count > 0 ? plural(count, { other: '# runs' }) : '');

function TotalPanel({ use }: { use: StorageUse }) {
  return (
    <Panel
      title={t`Database`}
      note={t`PostgreSQL fills the space of removed data again; its files do not shrink by themselves.`}
    >
      <Facts
        rows={[
          [t`On disk`, formatBytes(use.database_bytes)],
          [t`Raw data of runs`, formatBytes(use.raw_bytes)],
          [t`What links show`, formatBytes(use.shared_bytes)],
          [t`Rule by age`, rule(use.keep_raw_days)],
          [t`Being removed`, trials(use.trials_to_remove)],
          [t`Key of archives`, use.archive_key],
          [t`Not measured yet`, runs(use.runs_to_measure)],
        ]}
      />
    </Panel>
  );
}

const columns = (): Column<LargeRun>[] => [
  {
    name: t`Run`,
    look: { maw: 280 },
    cell: (run) => (
      <div className={classes.withBox}>
        <StarButton run={run} className={classes.aboveLink} />
        <RowLink to={`/runs/${run.id}`}>
          {run.experiment_name} #{run.number}
        </RowLink>
      </div>
    ),
  },
  { name: t`Raw data`, align: 'right', cell: ({ raw_bytes }) => formatBytes(raw_bytes) },
  { name: t`Started by`, cell: ({ created_by }) => created_by },
  {
    name: t`Ended`,
    nowrap: true,
    cell: (run) => (
      <span className={classes.withMenu}>
        {run.finished_at && <RelativeTime iso={run.finished_at} />}
        <RunMenu run={run} className={classes.aboveLink} />
      </span>
    ),
  },
];

/** When a backup was proven, or why it was not. */
function proof({ last_backup, last_proof }: StorageUse): string {
  if (last_backup?.trouble) return t`The last backup could not be restored: ${last_backup.trouble}`;
  if (last_proof === null) return t`None has been restored yet to see that it can be (make backup … PROVE=1)`;
  const moment = formatDateTime(last_proof);
  return last_backup?.proven_at
    ? t`The last one was restored on ${moment}, with every row`
    : t`One before the last was restored on ${moment}, with every row`;
}

function BackupPanel({ use }: { use: StorageUse }) {
  const last = use.last_backup;
  return (
    <Panel
      title={t`Backups`}
      note={t`Made on the server’s machine: make backup FILE=…, every night by its crontab.`}
    >
      {last ? (
        <Facts
          rows={[
            [t`Last backup`, <RelativeTime key="made" iso={last.made_at} />],
            [t`File`, last.file],
            [t`Size`, formatBytes(last.bytes)],
            [t`Took`, formatDuration(last.took_s)],
            [t`Proof`, proof(use)],
          ]}
        />
      ) : (
        <Dim>{t`No backup has been made yet.`}</Dim>
      )}
    </Panel>
  );
}

function LargestPanel({ runs }: { runs: readonly LargeRun[] }) {
  return (
    <Panel title={t`Largest runs`} flush note={t`By their raw data: readings, histograms and events.`}>
      <DataTable linked columns={columns()} rows={runs} minWidth={560} empty={t`No run has raw data yet.`} />
    </Panel>
  );
}

/** The space that runs take, and the largest of them. */
export default function StoragePage() {
  usePageTitle(t`Storage`);
  const isAdministrator = useHasRole('administrator');
  const query = useQuery({ ...getStorageOptions(), refetchInterval: 10_000, enabled: isAdministrator });
  return (
    <>
      <PageHeader title={t`Storage`} meta={t`What runs take in the database.`} />
      {isAdministrator ? (
        <QueryView query={query} skeleton={[140, 320]}>
          {(use) => (
            <Stack gap="md">
              <TotalPanel use={use} />
              <BackupPanel use={use} />
              <LargestPanel runs={use.largest} />
            </Stack>
          )}
        </QueryView>
      ) : (
        <EmptyState title={t`Only administrators see this`} />
      )}
    </>
  );
}

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileInput, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { allOf } from '@/api/client';
import { importRunMutation, listRunsOptions } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { CompareChosen, useSelection } from '@/components/runs/CompareChosen';
import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { FormProblem } from '@/components/ui/FormProblem';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Found, Pages } from '@/components/ui/table/Pages';
import { messageOf } from '@/lib/problem';
import { usePageTitle } from '@/lib/usePageTitle';
import { FilterBar, useRunFilter } from './FilterBar';

const PAGE_SIZE = 50;

function NoRuns({ isFiltered, clear }: Pick<ReturnType<typeof useRunFilter>, 'isFiltered' | 'clear'>) {
  return (
    <Panel>
      {isFiltered ? (
        <EmptyState title={t`No matches`} action={<Button onClick={clear}>{t`Show all runs`}</Button>}>
          {t`No run matches this filter.`}
        </EmptyState>
      ) : (
        <EmptyState
          title={t`No runs yet`}
          action={<Button component={Link} to="/experiments/new">{t`New experiment`}</Button>}
        >
          {t`Choose a template, adjust it, and run it on a host.`}
        </EmptyState>
      )}
    </Panel>
  );
}

/** What is sent ends, here and on the server, when it is cancelled or its form closes. */
function useImport(onImported: (runId: string) => void) {
  const asked = useRef<AbortController>(undefined);
  const sending = useMutation({
    ...importRunMutation({ headers: { 'Content-Type': 'application/zip' } }),
    meta: { errorShownInPlace: true, refetches: [allOf('experiments'), allOf('runs')] },
  });
  useEffect(() => () => asked.current?.abort(), []);
  function send(body: File) {
    asked.current = new AbortController();
    sending.mutate({ body, signal: asked.current.signal }, { onSuccess: (run) => onImported(run.id) });
  }
  return { send, isSending: sending.isPending, error: sending.error };
}

/** Choose the archive of a run. */
function ImportRunForm({ onImported }: { onImported: (runId: string) => void }) {
  const [file, setFile] = useState<File | null>(null);
  const { send, isSending, error } = useImport(onImported);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file) send(file);
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            An archive is what <em>Export, Archive</em> of a report gives. The run keeps its verdict and its
            numbers; its hosts appear as names that no run can use.
          </Trans>
        </Text>
        <FileInput
          label={t`Archive`}
          placeholder={t`Choose a file (.zip)`}
          accept=".zip,application/zip"
          value={file}
          onChange={setFile}
          disabled={isSending}
          data-autofocus
        />
        <FormProblem message={error ? messageOf(error) : undefined} />
        <Text size="sm" c="dimmed" role="status">
          {isSending && t`The archive is sent and checked. Nothing of it is kept if you cancel.`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={modals.closeAll}>
            {t`Cancel`}
          </Button>
          <Button type="submit" disabled={!file} loading={isSending}>
            {t`Import`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ImportButton() {
  const mayImport = useHasRole('experimenter');
  const navigate = useNavigate();
  if (!mayImport) return null;
  // Dialogs are drawn outside the router, so the way to the report is given from here.
  const show = (runId: string) => {
    modals.closeAll();
    void navigate(`/runs/${runId}/report`);
  };
  const open = () => modals.open({ title: t`Import a run`, children: <ImportRunForm onImported={show} /> });
  return (
    <Button variant="default" leftSection={<IconUpload size={14} />} onClick={open}>
      {t`Import a run`}
    </Button>
  );
}

export default function RunsPage() {
  usePageTitle(t`Runs`);
  const filter = useRunFilter();
  const query = { ...filter.query, limit: PAGE_SIZE, start: (filter.page - 1) * PAGE_SIZE };
  const runs = useQuery({
    ...listRunsOptions({ query }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000, // as states change
  });
  const selection = useSelection();
  return (
    <>
      <PageHeader
        title={t`Runs`}
        meta={t`Of all experiments. Choose two or more to compare them.`}
        actions={
          <>
            <CompareChosen chosen={selection.chosen} />
            <ImportButton />
          </>
        }
      />
      <FilterBar {...filter} />
      <Found text={runs.data && plural(runs.data.total, { one: '# run', other: '# runs' })} />
      <QueryView query={runs} skeleton={[320]}>
        {({ items, total }) => {
          if (total === 0) return <NoRuns {...filter} />;
          return (
            <Panel flush>
              <RunsTable runs={items} showExperiment selection={selection} sortOf={filter.sortOf} />
              <Pages total={total} size={PAGE_SIZE} page={filter.page} onPage={filter.setPage} />
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

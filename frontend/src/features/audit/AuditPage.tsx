import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { EntriesTable } from './EntriesTable';
import { FilterBar } from './FilterBar';
import { type AuditQuery, asQuery, exportAddress, useAuditEntries, useAuditFilter } from './useAuditFilter';

function ExportMenu({ query }: { query: AuditQuery }) {
  const formats = [
    ['csv', t`Matching entries as CSV`],
    ['json', t`Matching entries as JSON`],
  ] as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          <Trans>Export</Trans>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map(([format, title]) => (
          <Menu.Item key={format} component="a" href={exportAddress(query, format)} download>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function NoEntries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <EmptyState title={t`No matches`} action={<Button onClick={clear}>{t`Show everything`}</Button>}>
      <Trans>No entry matches this filter.</Trans>
    </EmptyState>
  ) : (
    <EmptyState title={t`No entries yet`}>
      <Trans>Whatever people and hosts do from now on appears here.</Trans>
    </EmptyState>
  );
}

type Entries = ReturnType<typeof useAuditEntries>;

function Older({ entries }: { entries: Entries }) {
  return entries.hasNextPage ? (
    <Group justify="center" p="sm">
      <Button
        variant="default"
        loading={entries.isFetchingNextPage}
        onClick={() => void entries.fetchNextPage()}
      >
        <Trans>Show older entries</Trans>
      </Button>
    </Group>
  ) : null;
}

export default function AuditPage() {
  usePageTitle(t`Audit log`);
  const filter = useAuditFilter();
  const query = asQuery(filter.filter);
  const entries = useAuditEntries(query);
  return (
    <>
      <PageHeader
        title={t`Audit log`}
        meta={t`Who did what, newest first. Entries cannot be changed.`}
        actions={<ExportMenu query={query} />}
      />
      <FilterBar {...filter} />
      <QueryView query={entries} skeleton={[320]}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Panel>
              <NoEntries {...filter} />
            </Panel>
          ) : (
            <Panel flush>
              <EntriesTable entries={items} />
              <Older entries={entries} />
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

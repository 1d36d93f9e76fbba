import { Button, Group, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { type AuditQuery, exportAddress, useAuditEntries } from './api/useAuditEntries';
import { EntriesTable } from './EntriesTable';
import { FilterBar } from './FilterBar';
import { asQuery, useAuditFilter } from './useAuditFilter';

function ExportMenu({ query }: { query: AuditQuery }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'json'] as const).map((format) => (
          <Menu.Item key={format} component="a" href={exportAddress(query, format)} download>
            Matching entries as {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function NoEntries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <EmptyState title="No matches" action={<Button onClick={clear}>Show everything</Button>}>
      No entry matches this filter.
    </EmptyState>
  ) : (
    <EmptyState title="No entries yet">Whatever people and hosts do from now on appears here.</EmptyState>
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
        Show older entries
      </Button>
    </Group>
  ) : null;
}

export default function AuditPage() {
  usePageTitle('Audit log');
  const filter = useAuditFilter();
  const query = asQuery(filter.filter);
  const entries = useAuditEntries(query);
  return (
    <>
      <PageHeader
        title="Audit log"
        meta="Who did what, newest first. Entries cannot be changed."
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

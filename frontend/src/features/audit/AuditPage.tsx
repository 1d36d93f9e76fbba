import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { unwrap } from '@/api/client';
import { type AuditEntryOut, listAuditEntries } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Tag } from '@/components/ui/Tag';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';
import { actWords } from './acts';
import classes from './audit.module.css';
import { type AuditQuery, asQuery, FilterBar, useAuditFilter } from './FilterBar';

type Detail = AuditEntryOut['detail'];

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ') || 'none';
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, inner]) => `${words(name)} ${text(inner)}`)
      .join(', ');
  return String(value);
}

const words = (name: string) => name.replaceAll('_', ' ');

/** The settings that changed, each with its new value. */
function settings({ changed, settings: values }: Detail): Detail {
  const all = (values ?? {}) as Detail;
  return Object.fromEntries((changed as string[]).map((name) => [name, all[name] ?? 'removed']));
}

/** An entry's detail as names and values that can be read. */
function detailOf({ act, detail }: AuditEntryOut): { name: string; value: string }[] {
  const shown = act === 'settings-changed' ? settings(detail) : detail;
  return Object.entries(shown).map(([name, value]) => ({ name: words(name), value: text(value) }));
}

/** The pages of objects that have one. */
const PAGE_OF: Record<string, string> = { host: '/hosts', experiment: '/experiments', run: '/runs' };

function When({ at, count = 1, last_at }: AuditEntryOut) {
  const last = last_at && formatDateTime(last_at);
  return (
    <>
      <time dateTime={at}>{formatDateTime(at)}</time>
      {count > 1 && last_at && (
        <div className={classes.dim}>
          <Trans>
            {count} times, last <time dateTime={last_at}>{last}</time>
          </Trans>
        </div>
      )}
    </>
  );
}

function Who({ actor_name, actor_kind, actor_token }: AuditEntryOut) {
  return (
    <>
      {actor_name} {actor_kind === 'host' && <Tag>{t`host`}</Tag>}
      {actor_token && <Tag>{t`token ${actor_token}`}</Tag>}
    </>
  );
}

const kinds = (): Record<string, string | undefined> => ({
  account: t`account`,
  host: t`host`,
  experiment: t`experiment`,
  run: t`run`,
  share: t`share`,
  token: t({ message: 'token', context: 'copied' }),
  passkey: t`passkey`,
  schedule: t`schedule`,
  channel: t`channel`,
  team: t`team`,
});

function On({ act, object_kind, object_id, object_name }: AuditEntryOut) {
  if (!object_kind) return none();
  const page = act === 'host-removed' ? undefined : PAGE_OF[object_kind];
  return (
    <>
      {object_id && <span className={classes.dim}>{kinds()[object_kind] ?? object_kind} </span>}
      {page ? (
        <Anchor component={Link} to={`${page}/${object_id}`} size="sm">
          {object_name}
        </Anchor>
      ) : (
        object_name
      )}
    </>
  );
}

function Details(entry: AuditEntryOut) {
  return (
    <dl className={classes.detail} lang="en">
      {detailOf(entry).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const none = () => <span className={classes.dim}>–</span>;

const columns = (): Column<AuditEntryOut>[] => [
  { name: t({ message: 'When', context: 'audit' }), nowrap: true, cell: When },
  { name: t({ message: 'Who', context: 'audit' }), look: { maw: 220 }, cell: Who },
  { name: t({ message: 'What', context: 'audit' }), cell: ({ act }) => actWords(act) },
  { name: t({ message: 'On', context: 'audit' }), look: { maw: 280 }, cell: On },
  { name: t`Details`, look: { maw: 360 }, cell: Details },
  {
    name: t({ message: 'Address', context: 'network' }),
    nowrap: true,
    cell: ({ address, request_id }) => (
      <span title={request_id ? t`Request ${request_id}` : undefined}>{address ?? none()}</span>
    ),
  },
];

function EntriesTable({ entries }: { entries: readonly AuditEntryOut[] }) {
  return (
    <DataTable
      columns={columns()}
      rows={entries}
      minWidth={960}
      verticalSpacing={6}
      className={classes.entries}
    />
  );
}

const PAGE_SIZE = 50;

/** Entries, newest first, page by page. */
function useAuditEntries(filter: AuditQuery) {
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        listAuditEntries({
          query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== null && { start: pageParam }) },
          signal,
          throwOnError: true,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
}

/** The address from which the matching entries can be downloaded. */
function exportAddress(filter: AuditQuery, format: 'csv' | 'json'): string {
  const { act = [], ...rest } = filter;
  const params = new URLSearchParams({ ...(rest as Record<string, string>), format });
  for (const one of act) params.append('act', one);
  return `/api/v1/audit/export?${params}`;
}

function ExportMenu({ query }: { query: AuditQuery }) {
  const formats = [
    ['csv', t`Matching entries as CSV`],
    ['json', t`Matching entries as JSON`],
  ] as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          {t`Export`}
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
      {t`No entry matches this filter.`}
    </EmptyState>
  ) : (
    <EmptyState title={t`No entries yet`}>
      {t`Whatever people and hosts do from now on appears here.`}
    </EmptyState>
  );
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
              {entries.hasNextPage && (
                <Group justify="center" p="sm">
                  <Button
                    variant="default"
                    loading={entries.isFetchingNextPage}
                    onClick={() => void entries.fetchNextPage()}
                  >
                    {t`Show older entries`}
                  </Button>
                </Group>
              )}
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

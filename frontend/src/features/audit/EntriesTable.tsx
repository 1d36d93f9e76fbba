import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Table } from '@mantine/core';
import { Link } from 'react-router';
import type { AuditEntryOut } from '@/api/generated';
import { Tag } from '@/components/ui/Tag';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatDateTime } from '@/lib/time';
import { actWords } from './acts';
import classes from './audit.module.css';

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
  schedule: t`schedule`,
  channel: t`channel`,
});

function On({ act, object_kind, object_id, object_name }: AuditEntryOut) {
  if (!object_kind) return <span className={classes.dim}>–</span>;
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

function Details({ entry }: { entry: AuditEntryOut }) {
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

function EntryRow({ entry }: { entry: AuditEntryOut }) {
  const { request_id } = entry;
  return (
    <Table.Tr>
      <Table.Td className={classes.when}>{When(entry)}</Table.Td>
      <Table.Td maw={220}>{Who(entry)}</Table.Td>
      <Table.Td>{actWords(entry.act)}</Table.Td>
      <Table.Td maw={280}>{On(entry)}</Table.Td>
      <Table.Td maw={360}>
        <Details entry={entry} />
      </Table.Td>
      <Table.Td className={classes.when} title={request_id ? t`Request ${request_id}` : undefined}>
        {entry.address ?? <span className={classes.dim}>–</span>}
      </Table.Td>
    </Table.Tr>
  );
}

const columns = () => [
  t({ message: 'When', context: 'audit' }),
  t({ message: 'Who', context: 'audit' }),
  t({ message: 'What', context: 'audit' }),
  t({ message: 'On', context: 'audit' }),
  t`Details`,
  t({ message: 'Address', context: 'network' }),
];

export function EntriesTable({ entries }: { entries: readonly AuditEntryOut[] }) {
  return (
    <WideTable minWidth={960}>
      <Table verticalSpacing={6} style={{ overflowWrap: 'break-word' }}>
        <HeadRow columns={columns()} />
        <Table.Tbody style={{ verticalAlign: 'top' }}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

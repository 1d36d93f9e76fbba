import { t } from '@lingui/core/macro';
import { Button, Group, Table, Tooltip } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { SessionOut } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Tag } from '@/components/ui/Tag';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { askFirst } from './askFirst';

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const firstOf = (list: readonly [RegExp, string][], text: string) =>
  list.find(([pattern]) => pattern.test(text))?.[1];

/** "Firefox on Linux" from a User-Agent header; of other programs, what they call themselves first. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return t`Unknown browser`;
  const browser = firstOf(BROWSERS, userAgent);
  const system = firstOf(SYSTEMS, userAgent);
  if (browser) return system ? t`${browser} on ${system}` : browser;
  return userAgent.split(' ', 1)[0] ?? userAgent;
}

interface Props {
  sessions: UseQueryResult<SessionOut[]>;
  note: string;
  end: (sessionId: string) => void;
  /** Ends all sessions, or all but this browser's. */
  endAll: { label: string; run: () => void };
}

function SessionRow({ session, end }: { session: SessionOut; end: Props['end'] }) {
  const browser = describeBrowser(session.user_agent);
  const ask = () =>
    askFirst({
      title: t`End the session of ${browser}?`,
      text: t`That browser has to sign in again.`,
      confirm: t`End session`,
      onConfirm: () => end(session.id),
    });
  return (
    <Table.Tr>
      <Table.Td fw={500}>
        <Group gap="xs" wrap="nowrap">
          <Tooltip label={session.user_agent ?? t`It did not say`} multiline maw={420}>
            <span>{browser}</span>
          </Tooltip>
          {session.is_current && <Tag>{t`this browser`}</Tag>}
        </Group>
      </Table.Td>
      <Table.Td>{session.address ?? t`unknown`}</Table.Td>
      <Table.Td>
        <RelativeTime iso={session.created_at} />
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={session.last_used_at} />
      </Table.Td>
      <Table.Td ta="right">
        {!session.is_current && (
          <Button variant="default" size="compact-xs" aria-label={t`End session of ${browser}`} onClick={ask}>
            {t({ message: 'End', context: 'session' })}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const columns = () => [
  t`Browser`,
  t`Address`,
  t`Signed in`,
  t`Last used`,
  { name: t`Actions`, hidden: true },
];

function SessionsTable({ sessions, end }: { sessions: readonly SessionOut[]; end: Props['end'] }) {
  if (sessions.length === 0)
    return <EmptyState title={t`No sessions`}>{t`No browser is signed in.`}</EmptyState>;
  return (
    <WideTable minWidth={620}>
      <Table>
        <HeadRow columns={columns()} />
        <Table.Tbody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} end={end} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** Which browsers are signed in to an account, and a way to end that. */
export function SessionsPanel({ sessions, note, end, endAll }: Props) {
  const canEndAny = sessions.data?.some((session) => !session.is_current) ?? false;
  const { label, run } = endAll;
  const ask = () =>
    askFirst({
      title: t`${label}?`,
      text: t`Those browsers have to sign in again.`,
      confirm: label,
      onConfirm: run,
    });
  const actions = canEndAny && (
    <Button variant="default" size="compact-sm" onClick={ask}>
      {label}
    </Button>
  );
  return (
    <Panel title={t`Sessions`} note={note} actions={actions} flush>
      <QueryView query={sessions} skeleton={[120]}>
        {(items) => <SessionsTable sessions={items} end={end} />}
      </QueryView>
    </Panel>
  );
}

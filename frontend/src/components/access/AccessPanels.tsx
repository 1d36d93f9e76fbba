import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Tooltip } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PasskeyOut, SessionOut, TokenOut, TokenScope } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Tag } from '@/components/ui/Tag';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { askFirst, type Question } from './askFirst';

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

interface AccessProps<T> {
  title: string;
  note?: string | undefined;
  query: UseQueryResult<T[]>;
  columns: readonly Column<T>[];
  empty: ReactNode;
  endAll: Question | null;
}

/** Ways into an account, each of which can be ended. */
function AccessPanel<T extends { id: string }>({ query, columns, empty, endAll, ...panel }: AccessProps<T>) {
  const actions = endAll && (
    <Button variant="default" size="compact-sm" onClick={() => askFirst(endAll)}>
      {endAll.confirm}
    </Button>
  );
  return (
    <Panel {...panel} actions={actions} flush>
      <QueryView query={query} skeleton={[120]}>
        {(items) =>
          items.length === 0 ? empty : <DataTable columns={columns} rows={items} minWidth={620} />
        }
      </QueryView>
    </Panel>
  );
}

/** A question before a way in ends, and the button that asks it. */
interface Ending extends Question {
  button: string;
  /** What the button means to those who do not see its row. */
  label: string;
}

const endColumn = <T,>(endingOf: (row: T) => Ending | false): Column<T> => ({
  name: t`Actions`,
  hidden: true,
  look: { ta: 'right' },
  cell: (row) => {
    const ending = endingOf(row);
    return (
      ending && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={ending.label}
          onClick={() => askFirst(ending)}
        >
          {ending.button}
        </Button>
      )
    );
  },
});

interface SessionsProps {
  sessions: UseQueryResult<SessionOut[]>;
  note: string;
  end: (sessionId: string) => void;
  /** Ends all sessions, or all but this browser's. */
  endAll: { label: string; run: () => void };
}

const browserOf = ({ user_agent }: SessionOut) => describeBrowser(user_agent);

function endingOfSession(session: SessionOut, end: SessionsProps['end']): Ending {
  const browser = browserOf(session);
  return {
    button: t({ message: 'End', context: 'session' }),
    label: t`End session of ${browser}`,
    title: t`End the session of ${browser}?`,
    text: t`That browser has to sign in again.`,
    confirm: t`End session`,
    onConfirm: () => end(session.id),
  };
}

function sessionColumns(end: SessionsProps['end']): Column<SessionOut>[] {
  return [
    {
      name: t`Browser`,
      look: { fw: 500 },
      cell: (session) => (
        <Group gap="xs" wrap="nowrap">
          <Tooltip label={session.user_agent ?? t`It did not say`} multiline maw={420}>
            <span>{browserOf(session)}</span>
          </Tooltip>
          {session.is_current && <Tag>{t`this browser`}</Tag>}
        </Group>
      ),
    },
    { name: t`Address`, cell: ({ address }) => address ?? t`unknown` },
    { name: t`Signed in`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
    { name: t`Last used`, cell: ({ last_used_at }) => <RelativeTime iso={last_used_at} /> },
    endColumn((session) => !session.is_current && endingOfSession(session, end)),
  ];
}

export function SessionsPanel({ sessions, note, end, endAll: { label, run } }: SessionsProps) {
  const canEndAny = sessions.data?.some((session) => !session.is_current) ?? false;
  const text = t`Those browsers have to sign in again.`;
  return (
    <AccessPanel
      title={t`Sessions`}
      note={note}
      query={sessions}
      columns={sessionColumns(end)}
      empty={<EmptyState title={t`No sessions`}>{t`No browser is signed in.`}</EmptyState>}
      endAll={canEndAny ? { title: t`${label}?`, text, confirm: label, onConfirm: run } : null}
    />
  );
}

interface PasskeysProps {
  passkeys: UseQueryResult<PasskeyOut[]>;
  note?: string | undefined;
  /** Removes one; without it, one looks only. */
  remove?: (passkeyId: string) => void;
  removeAll?: Question;
}

const passkeyColumns = (remove: PasskeysProps['remove']): Column<PasskeyOut>[] => [
  { name: t`Name`, look: { fw: 500, style: { overflowWrap: 'anywhere' } }, cell: ({ name }) => name },
  { name: t`Added`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
  {
    name: t`Last used`,
    cell: ({ last_used_at }) => (last_used_at ? <RelativeTime iso={last_used_at} /> : t`never`),
  },
  endColumn(
    ({ id, name }) =>
      remove !== undefined && {
        button: t`Remove`,
        label: t`Remove ${name}`,
        title: t`Remove ${name}?`,
        text: t`It no longer opens this account. Without any passkey, the password alone does.`,
        confirm: t`Remove`,
        onConfirm: () => remove(id),
      },
  ),
];

export function PasskeysPanel({ passkeys, note, remove, removeAll }: PasskeysProps) {
  return (
    <AccessPanel
      title={t`Passkeys`}
      note={note}
      query={passkeys}
      columns={passkeyColumns(remove)}
      empty={<EmptyState title={t`No passkeys`}>{t`No passkey is asked for at sign-in.`}</EmptyState>}
      endAll={(passkeys.data?.length && removeAll) || null}
    />
  );
}

/** What a token may do, in the order in which each includes the ones before it. */
const scopeNames = (): Record<TokenScope, string> => ({
  read: t`Read`,
  operate: t`Operate`,
  administer: t`Administer`,
});

interface TokensProps {
  tokens: UseQueryResult<TokenOut[]>;
  revoke: (tokenId: string) => void;
  revokeAll: () => void;
}

const consequence = () => t`Anything that uses it stops working immediately.`;

function Expiry({ token: { expires_at } }: { token: TokenOut }) {
  const expiry = <RelativeTime iso={expires_at} />;
  return Date.parse(expires_at) < Date.now() ? <Trans>expired {expiry}</Trans> : expiry;
}

const tokenColumns = (revoke: TokensProps['revoke']): Column<TokenOut>[] => [
  { name: t`Name`, look: { fw: 500 }, cell: ({ name }) => name },
  { name: t`Scope`, cell: ({ scope }) => scopeNames()[scope] },
  { name: t`Created`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
  { name: t`Expires`, cell: (token) => <Expiry token={token} /> },
  {
    name: t`Last used`,
    cell: ({ last_used_at }) => (last_used_at ? <RelativeTime iso={last_used_at} /> : t`never`),
  },
  endColumn(({ id, name }) => ({
    button: t`Revoke`,
    label: t`Revoke ${name}`,
    title: t`Revoke ${name}?`,
    text: consequence(),
    confirm: t`Revoke`,
    onConfirm: () => revoke(id),
  })),
];

export function TokensPanel({ tokens, revoke, revokeAll }: TokensProps) {
  const isSeveral = (tokens.data?.length ?? 0) > 1;
  const question = {
    title: t`Revoke all tokens?`,
    text: consequence(),
    confirm: t`Revoke all`,
    onConfirm: revokeAll,
  };
  return (
    <AccessPanel
      title={t`API tokens`}
      query={tokens}
      columns={tokenColumns(revoke)}
      empty={<EmptyState title={t`No tokens`} />}
      endAll={isSeveral ? question : null}
    />
  );
}

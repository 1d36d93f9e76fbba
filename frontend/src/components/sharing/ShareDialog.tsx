import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshShareMutation, revokeShareMutation, type ShareOut } from '@/api/generated';
import { type ShareSubject, useShares } from '@/api/shares';
import { askFirst } from '@/components/access/askFirst';
import { ShownOnce } from '@/components/ui/CopyField';
import { Dim } from '@/components/ui/Dim';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { formatDateTime } from '@/lib/time';

interface Props {
  share: ShareOut;
  subject: ShareSubject;
}

function openings({ opened }: ShareOut): string {
  if (opened === 0) return t`never opened`;
  return plural(opened, { one: 'opened # time', other: 'opened # times' });
}

function Life({ share }: { share: ShareOut }) {
  const created = <RelativeTime iso={share.created_at} />;
  const expiry = share.expires_at && <RelativeTime iso={share.expires_at} />;
  const opened = openings(share);
  return (
    <Dim size="xs">
      {share.label && <strong>{share.label}: </strong>}
      {expiry ? (
        <Trans>
          created {created}, {opened}, expires {expiry}
        </Trans>
      ) : (
        <Trans>
          created {created}, {opened}, does not expire
        </Trans>
      )}
    </Dim>
  );
}

/** What the link shows: something kept, which its owner may bring up to date, or what goes on. */
function Shows({ share: { id, as_of, is_outdated }, subject }: Props) {
  const refresh = useMutation({ ...refreshShareMutation(), meta: { refetches: [subject.key] } });
  if (as_of === null)
    return (
      <Dim size="xs">
        <Trans>Follows the run, and stays as it is once the run has ended</Trans>
      </Dim>
    );
  const time = formatDateTime(as_of);
  if (!is_outdated) return <Dim size="xs">{t`As of ${time}`}</Dim>;
  return (
    <Group gap="xs">
      <Text size="xs">{t`As of ${time}. What stands there has changed since.`}</Text>
      <Button
        size="compact-xs"
        variant="default"
        loading={refresh.isPending}
        onClick={() => refresh.mutate({ path: { share_id: id } })}
      >
        <Trans>Refresh</Trans>
      </Button>
    </Group>
  );
}

/** It ends with the token that made it, unless its owner keeps it. */
function MadeByToken({ share: { id, by_token: token }, subject }: Props) {
  const keep = useMutation({ ...refreshShareMutation(), meta: { refetches: [subject.key] } });
  if (token === null) return null;
  return (
    <Group gap="xs">
      <Text size="xs">{t`Made by the API token ${token}: it ends with the token.`}</Text>
      <Button
        size="compact-xs"
        variant="default"
        loading={keep.isPending}
        onClick={() => keep.mutate({ path: { share_id: id } })}
      >
        <Trans>Refresh and keep</Trans>
      </Button>
    </Group>
  );
}

function ShareRow({ share, subject }: Props) {
  const revoke = useMutation({ ...revokeShareMutation(), meta: { refetches: [subject.key] } });
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Stack gap={2}>
        <Life share={share} />
        <Shows share={share} subject={subject} />
        <MadeByToken share={share} subject={subject} />
      </Stack>
      <Button
        size="compact-xs"
        variant="default"
        flex="none"
        loading={revoke.isPending}
        onClick={() =>
          askFirst({
            title: t`Revoke this link?`,
            text: t`Whoever has it sees nothing any more, at once. It cannot be brought back.`,
            confirm: t`Revoke`,
            onConfirm: () => revoke.mutate({ path: { share_id: share.id } }),
          })
        }
      >
        <Trans>Revoke</Trans>
      </Button>
    </Group>
  );
}

const lifetimes = () => [
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '', label: t`Until revoked` },
];

function OpenLinks({ shares, subject }: { shares: ShareOut[]; subject: ShareSubject }) {
  if (shares.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        <Trans>Links that work</Trans>
      </Text>
      {shares.map((share) => (
        <ShareRow key={share.id} share={share} subject={subject} />
      ))}
      <Dim size="xs">
        <Trans>A link cannot be shown again. If it is lost, create another and revoke this one.</Trans>
      </Dim>
    </Stack>
  );
}

const MOST_ENDED = 5;

/** What became of links that work no more, the latest. */
function EndedLinks({ shares }: { shares: ShareOut[] }) {
  if (shares.length === 0) return null;
  return (
    <Stack gap={2} component="section" aria-label={t`Links that no longer work`}>
      <Text size="sm" fw={500}>{t`Links that no longer work`}</Text>
      {shares.slice(0, MOST_ENDED).map((share) => (
        <Dim size="xs" key={share.id}>
          {share.label && <strong>{share.label}: </strong>}
          <Ended share={share} />
        </Dim>
      ))}
    </Stack>
  );
}

function Ended({ share: { revoked_at, expires_at } }: { share: ShareOut }) {
  const end = revoked_at ?? expires_at;
  if (end === null) return <Trans>ended with the token or the account that made it</Trans>;
  const at = <RelativeTime iso={end} />;
  return revoked_at ? <Trans>revoked {at}</Trans> : <Trans>expired {at}</Trans>;
}

function useCreateShare({ key, create }: ShareSubject) {
  return useMutation({ mutationFn: create, meta: { refetches: [key] } });
}

function NewLinkForm({ create }: { create: ReturnType<typeof useCreateShare> }) {
  const [days, setDays] = useState('30');
  const [label, setLabel] = useState('');
  const named = label.trim() && { label: label.trim() };
  return (
    <Group align="flex-end">
      <TextInput
        label={t`For whom (optional)`}
        value={label}
        maxLength={120}
        onChange={(event) => setLabel(event.currentTarget.value)}
        flex={1}
      />
      <Select
        label={t`Valid for`}
        data={lifetimes()}
        value={days}
        onChange={(value) => setDays(value ?? '')}
        allowDeselect={false}
        flex={1}
      />
      <Button
        size="sm"
        loading={create.isPending}
        onClick={() => create.mutate({ expires_in_days: days ? Number(days) : null, ...named })}
      >
        <Trans>Create link</Trans>
      </Button>
    </Group>
  );
}

export function ShareDialog({ subject }: { subject: ShareSubject }) {
  const { name } = subject;
  const shares = useShares(subject);
  const create = useCreateShare(subject);
  const isRevoked = (id: string) => shares.data?.some((share) => share.id === id && !share.works) ?? false;
  const created = create.data && !isRevoked(create.data.id) ? create.data : null;
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          Anyone with a link can see {name} as of now, and nothing else, without an account. What it shows
          stays the same until you refresh it. Revoking a link takes effect immediately.
        </Trans>{' '}
        {subject.kind === 'report' && (
          <Trans>It shows the notes on the run and its trials, too, without their authors.</Trans>
        )}
      </Text>
      <NewLinkForm create={create} />
      {create.error && <ProblemNotice error={create.error} />}
      {created && (
        <ShownOnce
          value={created.url}
          label={t`share link`}
          text={t`Copy the link now: it is shown only this once.`}
        />
      )}
      <QueryView query={shares} skeleton={[60]}>
        {(items) => {
          const own = items.filter((share) => share.kind === subject.kind);
          return (
            <>
              <OpenLinks shares={own.filter(({ works }) => works)} subject={subject} />
              <EndedLinks shares={own.filter(({ works }) => !works)} />
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}

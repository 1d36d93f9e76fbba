import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ShareOut } from '@/api/generated';
import { useShares } from '@/api/useShares';
import { CopyField } from '@/components/ui/CopyField';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { linkWorks } from '@/domain/shares';
import { useCreateShare } from '../api/useCreateShare';
import { useRevokeShare } from '../api/useRevokeShare';

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '', label: 'Until revoked' },
];

function openings({ opened }: ShareOut): string {
  return opened === 0 ? 'never opened' : `opened ${opened} ${opened === 1 ? 'time' : 'times'}`;
}

function ShareRow({ share, runId }: { share: ShareOut; runId: string }) {
  const revoke = useRevokeShare(runId);
  return (
    <Group justify="space-between">
      <Text size="xs" c="var(--text-dim)">
        {share.label && <strong>{share.label}: </strong>}
        created <RelativeTime iso={share.created_at} />, {openings(share)},{' '}
        {share.expires_at ? (
          <>
            expires <RelativeTime iso={share.expires_at} />
          </>
        ) : (
          'does not expire'
        )}
      </Text>
      <Button
        size="compact-xs"
        variant="default"
        loading={revoke.isPending}
        onClick={() => revoke.mutate(share.id)}
      >
        Revoke
      </Button>
    </Group>
  );
}

function OpenLinks({ shares, runId }: { shares: ShareOut[]; runId: string }) {
  if (shares.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Links that work
      </Text>
      {shares.map((share) => (
        <ShareRow key={share.id} share={share} runId={runId} />
      ))}
      <Text size="xs" c="var(--text-dim)">
        A link cannot be shown again. If it is lost, create another and revoke this one.
      </Text>
    </Stack>
  );
}

/** The link that was just created. The server keeps no copy of it. */
function NewLink({ url }: { url: string }) {
  return (
    <Stack gap={4} role="status">
      <CopyField value={url} label="share link" />
      <Text size="xs">Copy the link now: it is shown only this once.</Text>
    </Stack>
  );
}

/** Asks for whom a link is and how long it works. */
function NewLinkForm({ create }: { create: ReturnType<typeof useCreateShare> }) {
  const [days, setDays] = useState('30');
  const [label, setLabel] = useState('');
  const named = label.trim() && { label: label.trim() };
  return (
    <Group align="flex-end">
      <TextInput
        label="For whom (optional)"
        value={label}
        maxLength={120}
        onChange={(event) => setLabel(event.currentTarget.value)}
        flex={1}
      />
      <Select
        label="Valid for"
        data={LIFETIMES}
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
        Create link
      </Button>
    </Group>
  );
}

/** Links that show the report to anyone who has them. */
export function ShareDialog({ runId }: { runId: string }) {
  const shares = useShares(runId);
  const create = useCreateShare(runId);
  const isRevoked = (id: string) =>
    shares.data?.some((share) => share.id === id && !linkWorks(share)) ?? false;
  const created = create.data && !isRevoked(create.data.id) ? create.data : null;
  return (
    <Stack gap="md">
      <Text size="sm">
        Anyone with a link can see this report, and nothing else, without an account. Revoking a link takes
        effect immediately.
      </Text>
      <NewLinkForm create={create} />
      {created && <NewLink url={created.url} />}
      <QueryView query={shares} skeleton={[60]}>
        {(items) => <OpenLinks shares={items.filter(linkWorks)} runId={runId} />}
      </QueryView>
    </Stack>
  );
}

import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ShareOut } from '@/api/generated';
import { CopyField } from '@/components/ui/CopyField';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { useCreateShare } from '../api/useCreateShare';
import { useRevokeShare } from '../api/useRevokeShare';
import { useShares } from '../api/useShares';

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '', label: 'Until revoked' },
];

const isOpen = ({ revoked_at, expires_at }: ShareOut) =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

function ShareRow({ share, runId }: { share: ShareOut; runId: string }) {
  const revoke = useRevokeShare(runId);
  return (
    <Group justify="space-between">
      <Text size="xs" c="var(--text-dim)">
        Created <RelativeTime iso={share.created_at} />,{' '}
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

/** Links that show the report to anyone who has them. */
export function ShareDialog({ runId }: { runId: string }) {
  const shares = useShares(runId);
  const create = useCreateShare(runId);
  const [days, setDays] = useState('30');
  const isRevoked = (id: string) => shares.data?.some((share) => share.id === id && !isOpen(share)) ?? false;
  const created = create.data && !isRevoked(create.data.id) ? create.data : null;
  return (
    <Stack gap="md">
      <Text size="sm">
        Anyone with a link can see this report, and nothing else, without an account. Revoking a link takes
        effect immediately.
      </Text>
      <Group align="flex-end">
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
          onClick={() => create.mutate(days ? Number(days) : null)}
        >
          Create link
        </Button>
      </Group>
      {created && <NewLink url={created.url} />}
      <QueryView query={shares} skeleton={[60]}>
        {(items) => <OpenLinks shares={items.filter(isOpen)} runId={runId} />}
      </QueryView>
    </Stack>
  );
}

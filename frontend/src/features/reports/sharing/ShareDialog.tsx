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
    <Stack gap={4}>
      <CopyField value={share.url} label="share link" />
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
    </Stack>
  );
}

/** Links that show the report to anyone who has them. */
export function ShareDialog({ runId }: { runId: string }) {
  const shares = useShares(runId);
  const create = useCreateShare(runId);
  const [days, setDays] = useState('30');
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
      <QueryView query={shares} skeleton={[60]}>
        {(items) =>
          items.filter(isOpen).map((share) => <ShareRow key={share.id} share={share} runId={runId} />)
        }
      </QueryView>
    </Stack>
  );
}

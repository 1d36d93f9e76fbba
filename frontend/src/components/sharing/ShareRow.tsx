import { Button, Group, Stack, Text } from '@mantine/core';
import type { ShareOut } from '@/api/generated';
import type { ShareSubject } from '@/api/sharing/subjects';
import { useRefreshShare } from '@/api/sharing/useRefreshShare';
import { useRevokeShare } from '@/api/sharing/useRevokeShare';
import { RelativeTime } from '@/components/ui/Time';
import { formatDateTime } from '@/lib/time';

interface Props {
  share: ShareOut;
  subject: ShareSubject;
}

function openings({ opened }: ShareOut): string {
  return opened === 0 ? 'never opened' : `opened ${opened} ${opened === 1 ? 'time' : 'times'}`;
}

function Life({ share }: { share: ShareOut }) {
  return (
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
  );
}

/** What the link shows: something kept, which its owner may bring up to date, or what goes on. */
function Shows({ share: { id, as_of, is_outdated }, subject }: Props) {
  const refresh = useRefreshShare(subject);
  if (as_of === null)
    return (
      <Text size="xs" c="var(--text-dim)">
        Follows the run, and stays as it is once the run has ended
      </Text>
    );
  if (!is_outdated)
    return (
      <Text size="xs" c="var(--text-dim)">
        As of {formatDateTime(as_of)}
      </Text>
    );
  return (
    <Group gap="xs">
      <Text size="xs">As of {formatDateTime(as_of)}. What stands there has changed since.</Text>
      <Button
        size="compact-xs"
        variant="default"
        loading={refresh.isPending}
        onClick={() => refresh.mutate(id)}
      >
        Refresh
      </Button>
    </Group>
  );
}

/** One link that works. */
export function ShareRow({ share, subject }: Props) {
  const revoke = useRevokeShare(subject);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Stack gap={2}>
        <Life share={share} />
        <Shows share={share} subject={subject} />
      </Stack>
      <Button
        size="compact-xs"
        variant="default"
        flex="none"
        loading={revoke.isPending}
        onClick={() => revoke.mutate(share.id)}
      >
        Revoke
      </Button>
    </Group>
  );
}

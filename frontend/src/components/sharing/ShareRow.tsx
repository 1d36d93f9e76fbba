import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  if (opened === 0) return t`never opened`;
  return plural(opened, { one: 'opened # time', other: 'opened # times' });
}

function Life({ share }: { share: ShareOut }) {
  const created = <RelativeTime iso={share.created_at} />;
  const expiry = share.expires_at && <RelativeTime iso={share.expires_at} />;
  const opened = openings(share);
  return (
    <Text size="xs" c="var(--text-dim)">
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
    </Text>
  );
}

/** What the link shows: something kept, which its owner may bring up to date, or what goes on. */
function Shows({ share: { id, as_of, is_outdated }, subject }: Props) {
  const refresh = useRefreshShare(subject);
  if (as_of === null)
    return (
      <Text size="xs" c="var(--text-dim)">
        <Trans>Follows the run, and stays as it is once the run has ended</Trans>
      </Text>
    );
  const time = formatDateTime(as_of);
  if (!is_outdated)
    return (
      <Text size="xs" c="var(--text-dim)">
        {t`As of ${time}`}
      </Text>
    );
  return (
    <Group gap="xs">
      <Text size="xs">{t`As of ${time}. What stands there has changed since.`}</Text>
      <Button
        size="compact-xs"
        variant="default"
        loading={refresh.isPending}
        onClick={() => refresh.mutate(id)}
      >
        <Trans>Refresh</Trans>
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
        <Trans>Revoke</Trans>
      </Button>
    </Group>
  );
}

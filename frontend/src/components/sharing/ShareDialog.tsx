import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ShareOut } from '@/api/generated';
import type { ShareSubject } from '@/api/sharing/subjects';
import { useCreateShare } from '@/api/sharing/useCreateShare';
import { useShares } from '@/api/sharing/useShares';
import { CopyField } from '@/components/ui/CopyField';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { linkWorks } from '@/domain/shares';
import { ShareRow } from './ShareRow';

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
      <Text size="xs" c="var(--text-dim)">
        <Trans>A link cannot be shown again. If it is lost, create another and revoke this one.</Trans>
      </Text>
    </Stack>
  );
}

/** The link that was just created. The server keeps no copy of it. */
function NewLink({ url }: { url: string }) {
  return (
    <Stack gap={4} role="status">
      <CopyField value={url} label={t`share link`} />
      <Text size="xs">{t`Copy the link now: it is shown only this once.`}</Text>
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

/** Links that show something to anyone who has them. */
export function ShareDialog({ subject }: { subject: ShareSubject }) {
  const { name } = subject;
  const shares = useShares(subject);
  const create = useCreateShare(subject);
  const isRevoked = (id: string) =>
    shares.data?.some((share) => share.id === id && !linkWorks(share)) ?? false;
  const created = create.data && !isRevoked(create.data.id) ? create.data : null;
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          Anyone with a link can see {name} as of now, and nothing else, without an account. What it shows
          stays the same until you refresh it. Revoking a link takes effect immediately.
        </Trans>
      </Text>
      <NewLinkForm create={create} />
      {create.error && <ProblemNotice error={create.error} />}
      {created && <NewLink url={created.url} />}
      <QueryView query={shares} skeleton={[60]}>
        {(items) => (
          <OpenLinks
            shares={items.filter((share) => share.kind === subject.kind && linkWorks(share))}
            subject={subject}
          />
        )}
      </QueryView>
    </Stack>
  );
}

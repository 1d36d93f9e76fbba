import { t } from '@lingui/core/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useHosts } from '@/api/hosts';
import { HostSelect } from '@/components/hosts/HostSelect';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import type { HostChoice } from '@/components/hosts/useHostChoice';
import type { Slot } from '@/domain/slots';

const NO_PROBLEMS = new Map<string, string>();

/** One host for everything, or a host for each part. */
export function HostChoicePanel({ slots, choice }: { slots: readonly Slot[]; choice: HostChoice }) {
  const [apart, setApart] = useState(false);
  const { data: hosts } = useHosts();
  const everything = (host: string) => Object.fromEntries(slots.map(({ slot }) => [slot, host]));
  if (hosts?.length === 0)
    return (
      <Text size="sm" c="var(--text-dim)">
        {t`No host is registered yet. Add one on the Hosts page.`}
      </Text>
    );
  if (apart)
    return (
      <Stack gap="xs">
        <SlotHosts
          slots={slots}
          assigned={choice.assigned}
          addresses={choice.addresses}
          problems={NO_PROBLEMS}
          onAssign={choice.assign}
          onAddress={choice.setAddress}
        />
        <NginxChoice slots={slots} choice={choice} problems={NO_PROBLEMS} />
      </Stack>
    );
  return (
    <>
      <HostSelect
        value={choice.assigned[slots[0]?.slot ?? ''] ?? null}
        onChange={(host) => host && choice.assign(everything(host))}
      />
      <NginxChoice slots={slots} choice={choice} problems={NO_PROBLEMS} />
      {slots.length > 1 && (
        <Button variant="subtle" color="gray" size="compact-xs" mt={4} onClick={() => setApart(true)}>
          {t`Use another host for each part`}
        </Button>
      )}
    </>
  );
}

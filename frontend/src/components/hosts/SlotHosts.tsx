import { Button, Select, Stack, Text } from '@mantine/core';
import type { HostDetail } from '@/api/generated';
import { useHostDetails } from '@/api/useHostDetails';
import type { Slot } from '@/domain/slots';
import { HostSelect } from './HostSelect';
import classes from './SlotHosts.module.css';

interface Props {
  slots: readonly Slot[];
  assigned: Record<string, string | null>;
  addresses: Record<string, string>;
  /** What the server refused, by `hosts.SLOT` and `addresses.SLOT`. */
  problems: ReadonlyMap<string, string>;
  onAssign: (hostOfSlot: Record<string, string>) => void;
  onAddress: (slot: string, address: string) => void;
}

/** Addresses at which other hosts may reach this one. */
function reachable(host: HostDetail | undefined): string[] {
  const addresses = (host?.inventory.nics ?? []).flatMap((nic) => nic.addresses);
  return addresses.filter((address) => !/^(127\.|::1|fe80:|169\.254\.)/i.test(address));
}

/** A host for each part, with one press for all of them on the same. */
export function SlotHosts({ slots, assigned, addresses, problems, onAssign, onAddress }: Props) {
  const used = [...new Set(Object.values(assigned))].filter((host) => host !== null);
  const details = useHostDetails(used.length > 1 ? used : []);
  const everything = (host: string) => Object.fromEntries(slots.map(({ slot }) => [slot, host]));
  return (
    <Stack gap="xs">
      {slots.map(({ slot, roles }) => {
        const host = assigned[slot] ?? null;
        const choices = reachable(details.get(host ?? ''));
        const serves = roles.some((role) => role !== 'generator');
        const played = roles.join(', ');
        return (
          <div key={slot}>
            <HostSelect
              label={played === slot ? slot : `${slot} (${played})`}
              value={host}
              error={problems.get(`hosts.${slot}`)}
              onChange={(next) => next && onAssign({ [slot]: next })}
            />
            {used.length > 1 && serves && choices.length > 1 && (
              <Select
                mt={4}
                size="xs"
                aria-label={`Address of ${slot}`}
                placeholder={`Address: ${choices[0]}`}
                data={choices}
                value={addresses[slot] ?? null}
                error={problems.get(`addresses.${slot}`)}
                onChange={(address) => address && onAddress(slot, address)}
              />
            )}
            {!(used.length > 1 && serves && choices.length > 1) && problems.has(`addresses.${slot}`) && (
              <Text size="xs" c="var(--danger)">
                {problems.get(`addresses.${slot}`)}
              </Text>
            )}
            {used.length > 1 && host && (
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                className={classes.everything}
                onClick={() => onAssign(everything(host))}
              >
                Everything on this host
              </Button>
            )}
          </div>
        );
      })}
    </Stack>
  );
}

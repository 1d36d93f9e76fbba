import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Select, Stack, Text } from '@mantine/core';
import type { HostDetail } from '@/api/generated';
import { useHostDetails } from '@/api/hosts';
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

function reachable(host: HostDetail | undefined): string[] {
  const addresses = (host?.inventory?.nics ?? []).flatMap((nic) => nic.addresses);
  return addresses.filter((address) => !/^(127\.|::1|fe80:|169\.254\.)/i.test(address));
}

interface AddressProps {
  slot: string;
  /** The addresses to choose from; none where there is nothing to choose. */
  choices: readonly string[];
  value: string | null;
  problem: string | undefined;
  onAddress: Props['onAddress'];
}

function Address({ slot, choices, value, problem, onAddress }: AddressProps) {
  const [usual, ...others] = choices;
  if (usual && others.length > 0)
    return (
      <Select
        mt={4}
        size="xs"
        aria-label={t`Address of ${slot}`}
        placeholder={t`Address: ${usual}`}
        data={[...choices]}
        value={value}
        error={problem}
        onChange={(address) => address && onAddress(slot, address)}
      />
    );
  return problem === undefined ? null : (
    <Text size="xs" c="var(--danger)">
      {problem}
    </Text>
  );
}

interface SlotProps extends Omit<Props, 'slots' | 'assigned'> {
  slot: Slot;
  host: string | null;
  /** The host's address; only known where the run uses several hosts. */
  details: HostDetail | undefined;
  isShared: boolean;
  onEverything: (host: string) => void;
}

function SlotHost({ slot: { slot, roles }, host, details, isShared, onEverything, ...props }: SlotProps) {
  const isServing = roles.some((role) => role !== 'generator');
  const played = roles.join(', ');
  return (
    <div>
      <HostSelect
        label={played === slot ? slot : `${slot} (${played})`}
        value={host}
        error={props.problems.get(`hosts.${slot}`)}
        onChange={(next) => next && props.onAssign({ [slot]: next })}
      />
      <Address
        slot={slot}
        choices={isShared && isServing ? reachable(details) : []}
        value={props.addresses[slot] ?? null}
        problem={props.problems.get(`addresses.${slot}`)}
        onAddress={props.onAddress}
      />
      {isShared && host && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          className={classes.everything}
          onClick={() => onEverything(host)}
        >
          <Trans>Everything on this host</Trans>
        </Button>
      )}
    </div>
  );
}

/** A host for each slot, with one press for all of them on the same. */
export function SlotHosts({ slots, assigned, ...props }: Props) {
  const used = [...new Set(Object.values(assigned))].filter((host) => host !== null);
  const isShared = used.length > 1;
  const details = useHostDetails(isShared ? used : []);
  const putEverythingOn = (host: string) =>
    props.onAssign(Object.fromEntries(slots.map(({ slot }) => [slot, host])));
  return (
    <Stack gap="xs">
      {slots.map((slot) => {
        const host = assigned[slot.slot] ?? null;
        return (
          <SlotHost
            key={slot.slot}
            slot={slot}
            host={host}
            details={details.get(host ?? '')}
            isShared={isShared}
            onEverything={putEverythingOn}
            {...props}
          />
        );
      })}
    </Stack>
  );
}

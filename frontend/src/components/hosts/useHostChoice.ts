import { useState } from 'react';
import type { Slot } from '@/domain/slots';
import { useDefaultHost } from './useDefaultHost';

type BySlot = Record<string, string>;

export interface HostChoice {
  assigned: Record<string, string | null>;
  addresses: BySlot;
  /** Where every part has a host: what a run is started with. */
  complete: { hosts: BySlot; addresses: BySlot } | null;
  assign: (hostOfSlot: BySlot) => void;
  setAddress: (slot: string, address: string) => void;
}

/** A host for each part of a run; until one is chosen, the first that could take it plays them all. */
export function useHostChoice(slots: readonly Pick<Slot, 'slot'>[]): HostChoice {
  const [fallback] = useDefaultHost();
  const [chosen, choose] = useState<BySlot>({});
  const [addresses, setAddresses] = useState<BySlot>({});
  const assigned = Object.fromEntries(slots.map(({ slot }) => [slot, chosen[slot] ?? fallback]));
  const hosts = Object.values(assigned);
  const apart = new Set(hosts).size > 1;
  const isComplete = hosts.length > 0 && hosts.every((host) => host !== null);
  return {
    assigned,
    addresses,
    complete: isComplete ? { hosts: assigned as BySlot, addresses: apart ? addresses : {} } : null,
    assign: (hostOfSlot) => choose((current) => ({ ...current, ...hostOfSlot })),
    setAddress: (slot, address) => setAddresses((current) => ({ ...current, [slot]: address })),
  };
}

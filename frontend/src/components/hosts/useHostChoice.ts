import { useState } from 'react';
import { useHosts } from '@/api/hosts';
import { bindBuilds } from '@/domain/builds';
import { type Slot, TARGET } from '@/domain/slots';

/** The host chosen in a form; until one is chosen, the first that could take a run. */
export function useDefaultHost(): [string | null, (hostId: string | null) => void] {
  const { data: hosts } = useHosts();
  const [chosen, choose] = useState<string | null>(null);
  const suggested =
    hosts?.find((host) => host.state === 'idle') ?? hosts?.find((host) => host.state === 'busy');
  return [chosen ?? suggested?.id ?? null, choose];
}

type BySlot = Record<string, string>;

/** What a run is started with. `nginx`: binaries of slots and builds by path, where something is to be said. */
export interface Where {
  hosts: BySlot;
  addresses: BySlot;
  nginx?: BySlot;
}

export interface HostChoice {
  assigned: Record<string, string | null>;
  addresses: BySlot;
  /** The names by which arms refer to builds of nginx. */
  builds: readonly string[];
  nginx: BySlot;
  /** Where every part has a host: what a run is started with. */
  complete: Where | null;
  assign: (hostOfSlot: BySlot) => void;
  setAddress: (slot: string, address: string) => void;
  setNginx: (name: string, path: string) => void;
}

/** The binaries that are chosen, as far as the hosts that are assigned now have them, and one for each build. */
function useNginx(assigned: HostChoice['assigned'], builds: readonly string[]) {
  const { data: hosts } = useHosts();
  const [chosen, choose] = useState<BySlot>({});
  const of = (slot: string) => hosts?.find(({ id }) => id === assigned[slot])?.nginx ?? [];
  const slots = Object.entries(chosen).filter(([slot, path]) => of(slot).some((one) => one.path === path));
  const nginx = { ...Object.fromEntries(slots), ...bindBuilds(builds, of(TARGET), chosen) };
  return {
    nginx,
    setNginx: (name: string, path: string) => choose((current) => ({ ...current, [name]: path })),
  };
}

/** A host for each part of a run; until one is chosen, the first that could take it plays them all. */
export function useHostChoice(
  slots: readonly Pick<Slot, 'slot'>[],
  builds: readonly string[] = [],
): HostChoice {
  const [fallback] = useDefaultHost();
  const [chosen, choose] = useState<BySlot>({});
  const [addresses, setAddresses] = useState<BySlot>({});
  const assigned = Object.fromEntries(slots.map(({ slot }) => [slot, chosen[slot] ?? fallback]));
  const { nginx, setNginx } = useNginx(assigned, builds);
  const hosts = Object.values(assigned);
  const apart = new Set(hosts).size > 1;
  const isComplete = hosts.length > 0 && hosts.every((host) => host !== null);
  const said = Object.keys(nginx).length > 0 ? { nginx } : {};
  return {
    assigned,
    addresses,
    builds,
    nginx,
    setNginx,
    complete: isComplete ? { hosts: assigned as BySlot, addresses: apart ? addresses : {}, ...said } : null,
    assign: (hostOfSlot) => choose((current) => ({ ...current, ...hostOfSlot })),
    setAddress: (slot, address) => setAddresses((current) => ({ ...current, [slot]: address })),
  };
}

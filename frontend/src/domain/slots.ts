import type { RunHostOut } from '@/api/generated';

type HostRole = RunHostOut['roles'][number];

export interface Slot {
  slot: string;
  roles: HostRole[];
}

export const TARGET = 'target';
/** The slot of a stream that names no other. */
const GENERATOR = 'generator';

/** What decides the slots of a definition, saved or being edited. */
interface Placed {
  streams: readonly { key: string; slot?: string }[];
  upstream_servers?: readonly { key: string; slot: string }[];
}

/** The slots of an experiment, in the server's order: the target first, then where streams and upstream servers run. */
export function slotsOfDefinition({ streams, upstream_servers = [] }: Placed): Slot[] {
  const roles = new Map<string, Set<HostRole>>([[TARGET, new Set<HostRole>(['target'])]]);
  const add = (slot: string, role: HostRole) => {
    const known = roles.get(slot);
    if (known) known.add(role);
    else roles.set(slot, new Set([role]));
  };
  for (const stream of streams) add(stream.slot ?? GENERATOR, 'generator');
  for (const upstream of upstream_servers) add(upstream.slot, 'upstream');
  return [...roles].map(([slot, played]) => ({ slot, roles: [...played] }));
}

export const slotNames = (definition: Placed): string[] =>
  slotsOfDefinition(definition).map(({ slot }) => slot);

const ROLES: readonly HostRole[] = ['target', 'generator', 'upstream'];

/** Slots of which only the names are known; templates name them after what is done there. */
export function slotsByName(names: readonly string[]): Slot[] {
  return names.map((slot) => ({ slot, roles: ROLES.filter((role) => slot.startsWith(role)) }));
}

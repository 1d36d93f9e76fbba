import type { Definition, RunHostOut } from '@/api/generated';

type HostRole = RunHostOut['roles'][number];

export interface Slot {
  slot: string;
  roles: HostRole[];
}

/** The parts hosts play in an experiment: the target first, then where streams and backends run. */
export function slotsOfDefinition({
  streams,
  backends = [],
}: Pick<Definition, 'streams' | 'backends'>): Slot[] {
  const roles = new Map<string, Set<HostRole>>([['target', new Set<HostRole>(['target'])]]);
  const add = (slot: string, role: HostRole) => {
    const known = roles.get(slot);
    if (known) known.add(role);
    else roles.set(slot, new Set([role]));
  };
  for (const stream of streams) add(stream.slot ?? 'generator', 'generator');
  for (const backend of backends) add(backend.slot, 'backend');
  return [...roles].map(([slot, played]) => ({ slot, roles: [...played] }));
}

const ROLES: readonly HostRole[] = ['target', 'generator', 'backend'];

/** Slots of which only the names are known; templates name them after what is done there. */
export function slotsByName(names: readonly string[]): Slot[] {
  return names.map((slot) => ({ slot, roles: ROLES.filter((role) => slot.startsWith(role)) }));
}

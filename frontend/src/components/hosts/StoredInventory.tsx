import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Inventory } from '@/api/generated';
import { InventoryFacts } from './InventoryFacts';

interface Props {
  inventory: Inventory | null;
  /** What helps if it cannot be read. */
  remedy?: string;
  /** The builds of nginx that trials ran there, by their paths. */
  ran?: readonly string[];
}

/** The facts of a host, or that the stored ones cannot be read. */
export function StoredInventory({ inventory, remedy, ran }: Props) {
  if (inventory !== null) return <InventoryFacts inventory={inventory} ran={ran} />;
  return (
    <Text size="sm" c="dimmed">
      <Trans>The stored inventory cannot be read.</Trans> {remedy}
    </Text>
  );
}

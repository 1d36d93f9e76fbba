import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ title, children, action }: Props) {
  return (
    <Stack align="center" gap={6} py={56} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="var(--text-dim)" maw={440}>
          {children}
        </Text>
      )}
      {action && <div style={{ marginTop: 10 }}>{action}</div>}
    </Stack>
  );
}

import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** Words that matter less than what stands around them. */
export function Dim(props: TextProps & { children: ReactNode; role?: string; title?: string }) {
  return <Text size="sm" c="var(--text-dim)" {...props} />;
}

import { Text } from '@mantine/core';

/** Filled in by the build, from `package.json`. */
declare const __VERSION__: string;

export function PageFooter() {
  return (
    <Text component="footer" className="no-print" size="xs" c="var(--text-dim)" mt="xl">
      ngxlab {__VERSION__}
    </Text>
  );
}

import { Text } from '@mantine/core';

/** Filled in by the build, from `package.json`. */
declare const __VERSION__: string;

/** Says which version of ngxlab the page belongs to. */
export function PageFooter() {
  return (
    <Text component="footer" className="no-print" size="xs" c="var(--text-dim)" mt="xl">
      ngxlab {__VERSION__}
    </Text>
  );
}

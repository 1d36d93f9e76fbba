import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { theme } from './theme';

interface Props {
  queryClient: QueryClient;
  /** Whatever the reader has chosen. */
  colorScheme?: 'light' | 'dark';
  children: ReactNode;
}

export function Providers({ queryClient, colorScheme, children }: Props) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      forceColorScheme={colorScheme}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}

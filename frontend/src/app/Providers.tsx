import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
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
    <MantineProvider theme={theme} defaultColorScheme="auto" forceColorScheme={colorScheme}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <ModalsProvider>{children}</ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

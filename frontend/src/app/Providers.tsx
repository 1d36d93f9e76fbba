import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLanguage } from '@/lib/language/language';
import { theme } from './theme';

interface Props {
  queryClient: QueryClient;
  colorScheme?: 'light' | 'dark';
  children: ReactNode;
}

/** All is made anew in another language: texts are looked up when something is drawn, and some are kept. */
export function Providers({ queryClient, colorScheme, children }: Props) {
  const language = useLanguage();
  return (
    <MantineProvider
      key={language}
      theme={theme}
      defaultColorScheme="auto"
      forceColorScheme={colorScheme}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { listTemplatesOptions } from '@/api/generated';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { QueryView } from './QueryView';

function Page() {
  const query = useQuery(listTemplatesOptions());
  return <QueryView query={query}>{({ items }) => <Text>{items.length} templates</Text>}</QueryView>;
}

it('says that figures are being computed, as after an upgrade, and shows them once they are', async () => {
  const server = serve({ 'GET /templates': problem(503, 'Ask again.', 'still-working') });
  show(<Page />);
  expect(await screen.findByText('Figures are still being computed.')).toBeInTheDocument();
  server.answer('GET /templates', []);
  expect(await screen.findByText('0 templates', {}, { timeout: 10_000 })).toBeInTheDocument();
  expect(screen.queryByText('Figures are still being computed.')).not.toBeInTheDocument();
});

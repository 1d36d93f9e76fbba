import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import SamplePage from './SamplePage';

it('shows a run that was measured, with when and where, and asks no server for anything', async () => {
  serve({}); // which fails for any request
  show(<SamplePage />, { path: '/sample', role: null });
  expect(
    await screen.findByText(/^A sample\. This run was measured on .* CPU.*nginx\/1\./),
  ).toBeInTheDocument();
  expect(screen.getByRole('region', { name: 'Verdict' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Export' })).toBeNull();
});

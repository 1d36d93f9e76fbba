import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import openapi from '../../../openapi.json';
import ApiDocsPage from './ApiDocsPage';

const open = (answer: unknown = openapi) => {
  serve({ 'GET /openapi.json': answer });
  return show(<ApiDocsPage />, { path: '/api-docs', at: '/api-docs' });
};

describe('ApiDocsPage', () => {
  it('finds an operation and shows what it takes and answers', async () => {
    const { user } = open();
    await user.type(screen.getByLabelText('Search'), 'post run_id shares');
    const operation = await screen.findByRole('button', {
      name: /POST.*\/runs\/\{run_id\}\/shares.*experimenter/,
    });
    expect(screen.getAllByRole('button', { expanded: false })).toHaveLength(1);
    await user.click(operation);
    const body = await screen.findByRole('region', { name: 'Body, application/json' });
    expect(body).toHaveTextContent('expires_in_days?: integer | null');
    expect(screen.getByRole('region', { name: 'Answer 201, application/json' })).toHaveTextContent(
      'url: string',
    );
    expect(screen.getByText(/201.*401.*403.*422/)).toBeInTheDocument();
  });

  it('has every operation of the document', async () => {
    open();
    const hosts = await screen.findByRole('region', { name: 'hosts' });
    expect(within(hosts).getAllByRole('button').length).toBeGreaterThan(3);
    const count = Object.values(openapi.paths).flatMap((operations) => Object.keys(operations)).length;
    expect(screen.getAllByRole('button', { expanded: false })).toHaveLength(count);
  });

  it('says that nothing was found', async () => {
    const { user } = open();
    await screen.findByRole('region', { name: 'hosts' });
    await user.type(screen.getByLabelText('Search'), 'teapot');
    expect(await screen.findByText('No operation contains “teapot”.')).toBeInTheDocument();
  });

  it('says what is wrong', async () => {
    open(problem(401, 'Sign in first.', 'not-signed-in'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Sign in first.');
  });
});

import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Sent, serve } from '@/test/server';
import { show } from '@/test/show';
import { TemplateForm } from './TemplateForm';
import { aPreview, aTemplate } from './template.testdata';

const PREVIEW = 'POST /templates/reuseport/preview';

/** Previews as the backend does, refusing odd numbers. */
function preview({ body }: Sent) {
  const { connections } = (body as { parameters: { connections: number } }).parameters;
  const problems = [{ field: 'parameters.connections', message: 'use a multiple of 2' }];
  return connections % 2 === 1 ? { arms: [], baseline: null, plan: null, problems } : aPreview();
}

function open() {
  const server = serve({ 'GET /hosts': [], [PREVIEW]: preview });
  const { user } = show(<TemplateForm template={aTemplate()} />);
  return { server, user, connections: screen.getByLabelText('Connections') };
}

describe('TemplateForm', () => {
  it('says what is wrong at the field, and asks for no preview of it', async () => {
    const { connections, server, user } = open();
    await waitFor(() => expect(server.to(PREVIEW)).not.toHaveLength(0));
    await user.clear(connections);
    await user.type(connections, '900');
    await user.tab();
    await screen.findByText('At most 500');
    expect(connections).toHaveAccessibleDescription(/At most 500/);
    expect(JSON.stringify(server.bodies(PREVIEW))).not.toContain('900');
  });

  it('shows the problems that only the server sees, at their field', async () => {
    const { connections, user } = open();
    await user.clear(connections);
    await user.type(connections, '33');
    await screen.findByText('use a multiple of 2');
    expect(connections).toHaveAccessibleDescription(/use a multiple of 2/);
    expect(screen.getByRole('button', { name: 'Create only' })).toBeDisabled();
  });

  it('fills the form from a preset by keyboard', async () => {
    const { connections, user } = open();
    screen.getByRole('radio', { name: 'Small' }).focus();
    await user.keyboard(' ');
    await waitFor(() => expect(connections).toHaveValue('10'));
    expect(screen.getByRole('radio', { name: 'Small' })).toBeChecked();
  });
});

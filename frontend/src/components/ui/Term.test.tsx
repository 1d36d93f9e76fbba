import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '@/test/show';
import { Term } from './Term';

const open = () => show(<Term help="The same seed gives the same order.">seed</Term>);
const help = () => screen.queryByRole('tooltip', { name: 'The same seed gives the same order.' });

describe('A term', () => {
  it('explains itself under the pointer', async () => {
    const { user } = open();
    await user.hover(screen.getByText('seed'));
    expect(help()).toBeInTheDocument();
    await user.unhover(screen.getByText('seed'));
    await waitFor(() => expect(help()).not.toBeInTheDocument());
  });

  it('explains itself to the keyboard, until it is told to stop', async () => {
    const { user } = open();
    await user.tab();
    expect(screen.getByText('seed')).toHaveFocus();
    expect(help()).toBeInTheDocument();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(help()).not.toBeInTheDocument());
  });

  it('explains itself after a tap, until another one elsewhere', async () => {
    const { user } = open();
    await user.pointer({ keys: '[TouchA]', target: screen.getByText('seed') });
    expect(help()).toBeInTheDocument();
    await user.pointer({ keys: '[TouchA]', target: document.body });
    await waitFor(() => expect(help()).not.toBeInTheDocument());
  });
});

import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '@/api/generated';
import { show } from '@/test/show';
import { VerdictBadge } from './VerdictBadge';

const undecided: Comparison = {
  family: 'primary',
  scale: 'ratio',
  estimate: 1.05,
  ci_low: 0.97,
  ci_high: 1.13,
  pairs: 5,
  margin: 0.02,
  verdict: 'undecided',
  more_blocks: 6,
  blocks_for_none: 42,
  text: '+5 %',
  ci_text: '−3 % to +13 %',
};

async function helpOf(changes: Partial<Comparison>) {
  const { user } = show(<VerdictBadge comparison={{ ...undecided, ...changes }} />);
  await user.hover(screen.getByText('undecided'));
  return (await screen.findByRole('tooltip')).textContent;
}

describe('VerdictBadge', () => {
  it('says how many more blocks decide, if there is an effect and if there is none', async () => {
    const help = await helpOf({});
    expect(help).toContain('About 6 more blocks do, with 80 % power, if the effect is what it looks like.');
    expect(help).toContain('About 42 more blocks do if there is no effect.');
  });

  it('promises nothing of a thousand blocks, and has a singular', async () => {
    const help = await helpOf({ more_blocks: 1, blocks_for_none: 1000 });
    expect(help).toContain('About 1 more block does, with 80 % power');
    expect(help).not.toContain('1000');
  });

  it('does not speak of no effect where the interval excludes it', async () => {
    const help = await helpOf({ ci_low: 1.001, more_blocks: null });
    expect(help).toBe(
      'The interval does not decide it. Primary metric: the interval is adjusted for all claims of this run.',
    );
  });

  it('gives the reason why an exploratory difference is no finding', async () => {
    const reason = 'one of 24 exploratory comparisons may differ as much by chance';
    expect(await helpOf({ family: 'exploratory', reason })).toContain(`${reason}.`);
  });
});

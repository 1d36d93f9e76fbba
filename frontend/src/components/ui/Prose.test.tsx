import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Prose } from './Prose';

const html = (text: string) => {
  const { container } = render(
    <MantineProvider>
      <p>
        <Prose text={text} />
      </p>
    </MantineProvider>,
  );
  const paragraph = container.querySelector('p');
  const said = (tag: string) => [...(paragraph?.querySelectorAll(tag) ?? [])].map((node) => node.textContent);
  return { text: paragraph?.textContent, code: said('code'), em: said('em') };
};

describe('Prose', () => {
  it('shows names and words that matter, without their marks', () => {
    expect(html('`aio threads` is *simulated*, says `x`.')).toEqual({
      text: 'aio threads is simulated, says x.',
      code: ['aio threads', 'x'],
      em: ['simulated'],
    });
  });

  it('leaves products and lone marks alone', () => {
    expect(html('2*3 and 4 * 5 * 6, a ` b')).toEqual({ text: '2*3 and 4 * 5 * 6, a ` b', code: [], em: [] });
  });
});

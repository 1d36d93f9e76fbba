import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Markdown } from './Markdown';

async function shown(text: string, element: string): Promise<HTMLElement> {
  const { container } = render(<Markdown text={text} />);
  await screen.findByText((_, node) => node?.matches(element) ?? false);
  return container;
}

it('reads emphasis, code, lists and links, which open elsewhere and say nothing of this page', async () => {
  const container = await shown('**Look** at `p99`:\n\n- [why](https://example.org/a)\n- b', 'strong');
  expect(container.querySelector('code')).toHaveTextContent('p99');
  expect(container.querySelectorAll('li')).toHaveLength(2);
  const link = screen.getByRole('link', { name: 'why' });
  expect(link).toHaveAttribute('href', 'https://example.org/a');
  expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow');
});

it('takes no HTML, and says what was typed', async () => {
  const container = await shown(
    '*Look* <img src=x onerror=alert(1)> <script>alert(1)</script> <address>',
    'em',
  );
  expect(container.querySelector('img, script, address')).toBeNull();
  expect(container).toHaveTextContent(
    'Look <img src=x onerror=alert(1)> <script>alert(1)</script> <address>',
  );
});

it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x'])('follows no %s', async (address) => {
  const container = await shown(`*Look* [here](${address})`, 'em');
  expect(container.querySelector('a')?.getAttribute('href') || '').toBe('');
});

it('fetches no picture', async () => {
  const container = await shown('*Look* ![the curve](https://example.org/a.png)', 'em');
  expect(container.querySelector('img')).toBeNull();
  expect(screen.getByRole('link', { name: 'the curve' })).toHaveAttribute(
    'href',
    'https://example.org/a.png',
  );
});

it('puts headings below that of the panel around it', async () => {
  await shown('# One\n\n### Two', 'h3');
  expect(screen.getByRole('heading', { level: 3, name: 'One' })).toBeInTheDocument();
  expect(screen.getByRole('heading', { level: 4, name: 'Two' })).toBeInTheDocument();
});

import { describe, expect, it } from 'vitest';
import { chartSvg } from './SaveChart';

function figure(content: string): Element {
  const made = document.createElement('figure');
  made.innerHTML = content;
  document.body.append(made);
  return made;
}

describe('The picture of a chart', () => {
  it('has its shapes with their colours, its title, and no class', () => {
    const chart = figure(
      '<svg class="recharts-surface"><path class="line" style="stroke: rgb(1, 2, 3)" d="M0,0L1,1"></path></svg>',
    );
    const text = chartSvg(chart, 'Latency < 1 ms') ?? '';
    const read = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(read.querySelector('parsererror')).toBeNull();
    expect(read.querySelector('text')?.textContent).toBe('Latency < 1 ms');
    expect(read.querySelector('path')?.getAttribute('stroke')).toBe('rgb(1, 2, 3)');
    expect(text).not.toContain('class=');
  });

  it('is not made where nothing is drawn', () => {
    expect(chartSvg(figure('<p>No readings yet</p>'), 'Latency')).toBeNull();
  });
});

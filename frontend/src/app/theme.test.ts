import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core';
import { describe, expect, it } from 'vitest';
import { theme } from './theme';

const whole = mergeMantineTheme(DEFAULT_THEME, theme);
const filled = (color: string) => whole.variantColorResolver({ color, theme: whole, variant: 'filled' });

describe('Filled buttons', () => {
  it('that warn are as dark on dark pages as on light ones, under white text', () => {
    expect(filled('red')).toMatchObject({
      background: 'var(--mantine-color-red-8)',
      color: 'var(--mantine-color-white)',
    });
  });

  it('of the primary colour change sides, with their text', () => {
    expect(filled('ink')).toMatchObject({
      background: 'var(--mantine-color-ink-filled)',
      color: 'light-dark(#fff, #17191c)',
    });
  });
});

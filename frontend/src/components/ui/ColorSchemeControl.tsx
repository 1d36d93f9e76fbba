import { SegmentedControl, useMantineColorScheme } from '@mantine/core';

export const COLOR_SCHEMES = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function ColorSchemeControl() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label="Colour scheme"
      data={COLOR_SCHEMES}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
    />
  );
}

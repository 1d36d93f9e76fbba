import { t } from '@lingui/core/macro';
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';

export const colorSchemes = () => [
  { value: 'auto', label: t({ message: 'Auto', context: 'colour scheme' }) },
  { value: 'light', label: t({ message: 'Light', context: 'colour scheme' }) },
  { value: 'dark', label: t({ message: 'Dark', context: 'colour scheme' }) },
];

export function ColorSchemeControl() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={t`Colour scheme`}
      data={colorSchemes()}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
    />
  );
}

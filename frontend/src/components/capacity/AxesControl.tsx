import { t } from '@lingui/core/macro';
import { SegmentedControl } from '@mantine/core';

interface Props {
  isLogarithmic: boolean;
  onChange: (isLogarithmic: boolean) => void;
}

/** How the axes of a chart go. */
export function AxesControl({ isLogarithmic, onChange }: Props) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t`Axes`}
      data={[
        { value: 'log', label: t({ message: 'Logarithmic', context: 'axis' }) },
        { value: 'linear', label: t({ message: 'Linear', context: 'axis' }) },
      ]}
      value={isLogarithmic ? 'log' : 'linear'}
      onChange={(value) => onChange(value === 'log')}
    />
  );
}

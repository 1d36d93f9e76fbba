import { t } from '@lingui/core/macro';

/** How the axes of a chart may go. */
export const scales = () => [
  { value: 'log', label: t({ message: 'Logarithmic', context: 'axis' }) },
  { value: 'linear', label: t({ message: 'Linear', context: 'axis' }) },
];

import { t } from '@lingui/core/macro';
import type { MetricInfo } from '@/api/generated';

/** Which way a metric is better. */
export const directions = (): Record<MetricInfo['direction'], string> => ({
  more_is_better: t`more is better`,
  less_is_better: t`less is better`,
  neutral: t`neither is better`,
});

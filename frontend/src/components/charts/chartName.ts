import { t } from '@lingui/core/macro';

/** What a chart is called where it is only heard. */
export function chartName(title: string, unit: string): string {
  return unit ? t`${title}, ${unit}` : title;
}

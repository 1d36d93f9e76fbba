import { t } from '@lingui/core/macro';
import { Term } from '@/components/ui/term/Term';

/** What a metric is called, with what its unit means where that is no everyday word. */
export function MetricTitle({ title, unit }: { title: string; unit: string | undefined }) {
  if (unit !== 'CV') return title;
  const help = t`CV, coefficient of variation: the standard deviation divided by the mean. 0 is perfectly even.`;
  return <Term help={help}>{title}</Term>;
}

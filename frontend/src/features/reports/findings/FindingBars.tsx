import type { ArmBarsChart, Report } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { armColor } from '@/components/charts/palette';
import { ArmBarsPlot } from '@/components/charts/plots/ArmBarsPlot';
import { ServerText } from '@/components/ui/language/ServerText';
import { armIndex } from '@/domain/trials';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { directions } from '../comparison/directions';

/** A quantity arm by arm, with the single trials. */
export function FindingBars({ chart, arms }: { chart: ArmBarsChart; arms: Report['arms'] }) {
  const bars = chart.bars.map(({ arm, label, mean, values }) => ({
    key: arm,
    label,
    color: armColor(armIndex(arms, arm)),
    mean,
    values,
  }));
  return (
    <ChartFrame
      id={`chart-${chart.key}`}
      title={said(chart.title)}
      unit={chart.direction === 'neutral' ? '' : directions()[chart.direction]}
      why={<ServerText text={chart.why} />}
    >
      <ArmBarsPlot bars={bars} format={(value) => formatValue(value, chart.unit)} />
    </ChartFrame>
  );
}

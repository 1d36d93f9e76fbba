import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useSearchState } from '@/lib/useAddress';
import { roundUp } from '../axes';
import { TimeChart, type TimeChartProps } from '../time/TimeChart';
import { HeatMap } from './HeatMap';
import { heatOfLines, summaryOf } from './heat';

/** More lines than these cannot be told apart. */
const MAX_LINES = 8;

function highest(lines: TimeChartProps['lines']): number {
  return lines.reduce((top, { points }) => points.reduce((most, [, y]) => Math.max(most, y ?? 0), top), 0);
}

function PartsHeat({ lines, yMax, showLatest: _, stacked: __, height: ___, ...chart }: TimeChartProps) {
  const heat = useMemo(() => heatOfLines(lines, yMax ?? roundUp(highest(lines))), [lines, yMax]);
  return <HeatMap {...chart} heat={heat} summary={summaryOf(heat, chart.unit, chart.measureS)} />;
}

/**
 * Several alike things over time, such as workers or CPUs: as lines, or with one row each. The choice lies in the
 * address under `name`, and holds for all charts of that name.
 */
export function PartsChart({ name, ...chart }: TimeChartProps & { name: string }) {
  const usual = chart.lines.length > MAX_LINES ? 'heat' : 'lines';
  const [drawn, draw] = useSearchState(`${name}-as`, usual);
  if (chart.lines.length < 2) return <TimeChart {...chart} />;
  const isHeat = drawn === 'heat';
  const { title } = chart;
  const actions = (
    <>
      <Button
        className="no-print"
        size="compact-xs"
        variant="default"
        aria-label={isHeat ? t`Draw ${title} as lines` : t`Draw ${title} as a heat map`}
        onClick={() => draw(isHeat ? 'lines' : 'heat')}
      >
        {isHeat ? t`Lines` : t`Heat map`}
      </Button>
      {chart.actions}
    </>
  );
  return isHeat ? <PartsHeat {...chart} actions={actions} /> : <TimeChart {...chart} actions={actions} />;
}

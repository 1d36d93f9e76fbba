import type { Report } from '@/api/generated';
import { PartsChart } from '@/components/charts/heat/PartsChart';
import { TimeChart, type TimeChartProps } from '@/components/charts/time/TimeChart';
import { useNoteOn } from '../notes/useNoteOn';

interface Props extends TimeChartProps {
  report: Report;
  trialId: string;
  /** The name of the chart, if its lines are alike. */
  alike?: string;
}

/** The chart of one trial, whose moments can be written of. */
export function OwnChart({ report, trialId, alike, ...chart }: Props) {
  const onMoment = useNoteOn(report, trialId);
  if (alike) return <PartsChart {...chart} name={alike} onMoment={onMoment} />;
  return <TimeChart {...chart} onMoment={onMoment} />;
}

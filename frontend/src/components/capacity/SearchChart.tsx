import { t } from '@lingui/core/macro';
import { Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { CapacitySearch, CapacityTried } from '@/api/generated';
import type { LineLook } from '@/components/charts/LineLegend';
import { StepsChart } from '@/components/charts/lineCharts';
import type { StepResult } from '@/components/charts/steps/steps';
import { ServerText } from '@/components/ui/language/ServerText';
import { betweenOf, boundsOf, figureOf } from '@/domain/searches';
import { formatNumber, range } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { AxesControl } from './AxesControl';

export interface Tried {
  step: CapacityTried;
  /** Which of several searches it is of. */
  of?: string;
}

export interface Searched extends LineLook {
  search: CapacitySearch;
  steps: readonly Tried[];
}

export const resultNames = (): Record<StepResult, string> => ({
  met: t({ message: 'met', context: 'goal' }),
  missed: t({ message: 'missed', context: 'goal' }),
  void: t({ message: 'void', context: 'step' }),
});

/** What became of a step, in words. */
function wordsOf({ step, of }: Tried): string {
  const words = [of, resultNames()[step.result], step.reason].filter(Boolean);
  return words.join(', ');
}

interface Props {
  searched: readonly [Searched, ...Searched[]];
  /** Whether the rates between which the capacity lies are drawn; of a single search. */
  isBand?: boolean;
}

/** Every rate that searches tried, against what their goal bounds. */
export function SearchChart({ searched, isBand = false }: Props) {
  const [{ search }] = searched;
  const bounds = boundsOf(search.goal, t`Errors`);
  const [chosen, choose] = useState<string>();
  const [isLogarithmic, setLogarithmic] = useState(true);
  const bounded = bounds.find(({ key }) => key === chosen) ?? bounds[0];
  if (!bounded) return null;
  const lines = searched.map(({ search: own, steps, ...look }) => ({
    ...look,
    between: isBand
      ? betweenOf(
          own,
          steps.map(({ step }) => step),
        )
      : undefined,
    points: steps.map((tried) => ({
      per_s: tried.step.per_s,
      value: figureOf(tried.step, bounded),
      result: tried.step.result,
      text: wordsOf(tried),
    })),
  }));
  return (
    <>
      <Group gap="xs" mb={6} className="no-print">
        {bounds.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t`What the goal bounds`}
            data={bounds.map(({ key, name }) => ({ value: key, label: name }))}
            value={bounded.key}
            onChange={choose}
          />
        )}
        <AxesControl isLogarithmic={isLogarithmic} onChange={setLogarithmic} />
      </Group>
      <StepsChart
        lines={lines}
        name={bounded.name}
        unit={bounded.unit}
        bound={bounded.bound}
        isLogarithmic={isLogarithmic}
        results={resultNames()}
      />
    </>
  );
}

/** What a search has found, or knows so far, in a sentence. */
export function SearchWords({ search, steps }: { search: CapacitySearch; steps: readonly CapacityTried[] }) {
  const [low, high] = betweenOf(search, steps).map((rate) => rateText(rate)) as [string, string];
  const count = steps.length;
  const goal = said(search.goal_text);
  if (search.capacity_per_s != null) {
    const capacity = rateText(search.capacity_per_s);
    const own = intervalOf(search);
    return own === null
      ? t`Capacity at ${goal}: ${capacity} requests/s, after ${count} rates.`
      : t`Capacity at ${goal}: ${capacity} requests/s (${own} by this search alone), after ${count} rates.`;
  }
  if (search.ended != null && search.without_value) return <ServerText text={search.without_value} />;
  return t`So far, the capacity at ${goal} lies between ${low} and ${high} requests/s: ${count} rates tried.`;
}

/** Where the capacity lies by one search alone. */
export function intervalOf({ low_per_s, high_per_s }: CapacitySearch): string | null {
  return low_per_s == null || high_per_s == null ? null : range(rateText(low_per_s), rateText(high_per_s));
}

const rateText = (rate: number) => formatNumber(rate >= 100 ? Math.round(rate) : rate);

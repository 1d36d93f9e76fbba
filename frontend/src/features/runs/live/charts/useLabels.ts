import { useCallback, useState } from 'react';
import { type ChartDefinition, orderedLabels } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { allOf, type LiveSources } from './liveLines';

type Labels = ReadonlyMap<string, readonly string[]>;

const NONE: readonly string[] = [];

/** What has been measured of each chart, also in trials that are no longer looked at: no chart goes from under its reader. */
export function useLabels(definitions: readonly ChartDefinition[], sources: LiveSources) {
  const [known, setKnown] = useState<Labels>(new Map());
  const all = allOf(sources);
  const more = new Map(known);
  for (const definition of definitions) {
    const before = known.get(definition.key) ?? NONE;
    const news = labelsOf(definition, all).filter((label) => !before.includes(label));
    if (news.length > 0) more.set(definition.key, orderedLabels(definition, [...before, ...news]));
  }
  const isNews = definitions.some(({ key }) => more.get(key) !== known.get(key));
  if (isNews) setKnown(more);
  const labels = isNews ? more : known;
  return useCallback(({ key }: ChartDefinition) => labels.get(key) ?? NONE, [labels]);
}

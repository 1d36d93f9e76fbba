import { useRef } from 'react';
import type { ChartDefinition } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { allOf, type LiveSources } from './liveLines';

/**
 * Whether a quantity has been measured in any trial that the page has shown. What had a chart once keeps it: others stay
 * where they are when a trial begins that has nothing of it.
 */
export function useOnceMeasured(sources: LiveSources): (definition: ChartDefinition) => boolean {
  const seen = useRef(new Set<string>());
  return (definition) => {
    if (labelsOf(definition, allOf(sources)).length > 0) seen.current.add(definition.key);
    return seen.current.has(definition.key);
  };
}

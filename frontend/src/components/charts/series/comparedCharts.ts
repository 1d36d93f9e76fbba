import type { SeriesInfo } from '@/api/generated';
import { said } from '@/lib/language/serverText';
import { CHARTS, type ChartDefinition, comparedLabels, mainCharts } from './definitions';
import { labelsOf, type TrialSource } from './lines';

/** A measured quantity in which arms are compared: one line a trial or an arm. */
export interface ComparedChart {
  info: SeriesInfo;
  definition: ChartDefinition;
  label: string;
  title: string;
}

/** The main charts in which arms are compared, one for each label that was measured: each stream has its own. */
export function comparedCharts(
  catalogue: readonly SeriesInfo[],
  sources: readonly TrialSource[],
): ComparedChart[] {
  const byKey = new Map(catalogue.map((info) => [info.key, info]));
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  return mainCharts(known, (definition) => labelsOf(definition, sources).length > 0).flatMap((one) => {
    const measured = labelsOf(one.definition, sources);
    const isOnlyLine = one.definition.split === 'arms' && measured.length < 2;
    return comparedLabels(one.definition, measured)
      .filter((label) => measured.includes(label))
      .map((label) => ({
        ...one,
        label,
        title: isOnlyLine ? said(one.info.title) : `${said(one.info.title)}: ${label}`,
      }));
  });
}

import type { SeriesInfo } from '@/api/generated';

/**
 * How a series of the catalogue is drawn. The catalogue gives title, unit and meaning; this adds what only a page
 * knows. A series without an entry here still gets a chart, by {@link definitionFor}.
 */
export interface ChartDefinition {
  /** Entry of the catalogue. */
  key: string;
  /** `arms`: one line an arm. `labels`: the parts of one trial. */
  split: 'arms' | 'labels';
  palette: 'category' | 'sequence';
  /** Labels from bottom to top of a stack, or from first to last of a legend. Others follow. */
  order?: readonly string[];
  /** Labels that would only hide the others, e.g. idle time in a stack of CPU modes. */
  hidden?: readonly string[];
  /** Labels that a report compares between arms, one chart each. */
  compare: readonly string[] | 'each';
  /** Shown without being asked for. */
  primary: boolean;
}

export const CHARTS: readonly ChartDefinition[] = [
  { key: 'requests_per_s', split: 'arms', palette: 'category', compare: 'each', primary: true },
  {
    key: 'latency_ms',
    split: 'labels',
    palette: 'sequence',
    order: ['p50', 'p90', 'p95', 'p99', 'p99.9'],
    compare: ['p50', 'p99'],
    primary: true,
  },
  {
    key: 'nginx_connections',
    split: 'labels',
    palette: 'category',
    order: ['active', 'reading', 'writing', 'waiting'],
    compare: ['writing', 'waiting'],
    primary: true,
  },
  {
    key: 'cpu_share',
    split: 'labels',
    palette: 'category',
    order: ['user', 'system', 'softirq', 'irq', 'nice', 'iowait', 'steal'],
    hidden: ['idle'],
    compare: ['user', 'system', 'softirq'],
    primary: true,
  },
  { key: 'worker_cpu_share', split: 'labels', palette: 'category', compare: [], primary: true },
  { key: 'network_bits_per_s', split: 'labels', palette: 'category', compare: 'each', primary: true },
];

const KNOWN = new Map(CHARTS.map((definition) => [definition.key, definition]));

/** The definition of a catalogue entry; a plain one where none was written. */
export function definitionFor(info: SeriesInfo): ChartDefinition {
  return (
    KNOWN.get(info.key) ?? {
      key: info.key,
      split: 'labels',
      palette: 'category',
      compare: 'each',
      primary: false,
    }
  );
}

/** Labels in the order they are drawn, without the hidden ones. Numbers inside labels sort as numbers. */
export function orderedLabels(definition: ChartDefinition, labels: readonly string[]): string[] {
  const { order = [], hidden = [] } = definition;
  const rank = (label: string) => {
    const place = order.indexOf(label);
    return place === -1 ? order.length : place;
  };
  return labels
    .filter((label) => !hidden.includes(label))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
}

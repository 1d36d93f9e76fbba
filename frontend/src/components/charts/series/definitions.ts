import type { SeriesInfo } from '@/api/generated';

/**
 * The drawing of a series of the catalogue. The catalogue gives title, unit and meaning; this adds what only a page
 * knows. A series without an entry here still gets a chart, by {@link definitionFor}.
 */
export interface ChartDefinition {
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
  /** The labels are alike, such as workers: they are told apart in one trial, not compared between arms. */
  alike?: boolean;
  /** Shown without being asked for: always, or where it was measured. */
  primary: boolean | 'measured';
}

type Told = Partial<Omit<ChartDefinition, 'key'>>;

/** A chart of the parts of one trial, each in a colour of its own, unless something else is told. */
const chart = (key: string, told: Told = {}): ChartDefinition => ({
  key,
  split: 'labels',
  palette: 'category',
  compare: 'each',
  primary: false,
  ...told,
});

/** Percentiles of some time, of one stream or of several. */
const TIME: Told = {
  palette: 'sequence',
  order: ['p50', 'p90', 'p95', 'p99', 'p99.9'],
  compare: ['p50', 'p99'],
};

/** One line a worker, or a CPU. */
const ALIKE: Told = { compare: [], alike: true };

export const CHARTS: readonly ChartDefinition[] = [
  chart('requests_per_s', { split: 'arms', primary: true }),
  chart('latency_ms', { ...TIME, primary: true }),
  chart('stream_connections', { primary: 'measured' }),
  chart('stream_backlog', { primary: 'measured' }),
  chart('nginx_connections', {
    order: ['active', 'reading', 'writing', 'waiting'],
    compare: ['writing', 'waiting'],
    primary: true,
  }),
  chart('cpu_share', {
    order: ['user', 'system', 'softirq', 'irq', 'nice', 'iowait', 'steal'],
    hidden: ['idle'],
    compare: ['user', 'system', 'softirq'],
    primary: true,
  }),
  chart('worker_cpu_share', { ...ALIKE, primary: true }),
  chart('network_bits_per_s', { primary: true }),
];

/** Drawn in a way of their own when they are asked for. */
const FURTHER: readonly ChartDefinition[] = [
  chart('rejected_per_s', { split: 'arms' }),
  chart('rejected_ms', TIME),
  chart('service_ms', TIME),
  chart('schedule_ms', TIME),
  chart('request_time_ms', TIME),
  chart('upstream_time_ms', TIME),
  chart('cpu_busy_share', ALIKE),
  chart('worker_connections', ALIKE),
  chart('run_delay_ms_per_s', ALIKE),
  chart('worker_memory_bytes', ALIKE),
  chart('worker_threads', { order: ['R', 'S', 'D', 'other'], compare: ['R', 'D'] }),
];

const KNOWN = new Map([...CHARTS, ...FURTHER].map((definition) => [definition.key, definition]));

/** The definition of a catalogue entry; a plain one where none was written. */
export const definitionFor = ({ key }: SeriesInfo): ChartDefinition => KNOWN.get(key) ?? chart(key);

/** Where trials have several streams, labels begin with the stream's name: "probe p99". */
export interface LabelParts {
  stream: string;
  part: string;
}

export function partsOf({ order = [] }: ChartDefinition, label: string): LabelParts {
  const part = order.find((candidate) => label.endsWith(` ${candidate}`));
  return part ? { stream: label.slice(0, -part.length - 1), part } : { stream: '', part: label };
}

/** Kept: charts of a live page order their labels with each reading, and making one takes longer than that. */
const words = new Intl.Collator('en', { numeric: true });

const ordered = new WeakMap<ChartDefinition, Map<string, readonly string[]>>();

/** Labels in the order they are drawn, without the hidden ones. Numbers inside labels sort as numbers. */
export function orderedLabels(definition: ChartDefinition, labels: readonly string[]): readonly string[] {
  const known = ordered.get(definition) ?? new Map<string, readonly string[]>();
  ordered.set(definition, known);
  // A live chart has the same labels with each reading.
  const which = labels.join('\n');
  const result = known.get(which) ?? inOrder(definition, labels);
  known.set(which, result);
  return result;
}

function inOrder(definition: ChartDefinition, labels: readonly string[]): string[] {
  const { order = [], hidden = [] } = definition;
  const rank = (part: string) => {
    const place = order.indexOf(part);
    return place === -1 ? order.length : place;
  };
  return labels
    .filter((label) => !hidden.includes(label))
    .map((label) => ({ label, ...partsOf(definition, label) }))
    .sort(
      (a, b) =>
        words.compare(a.stream, b.stream) || rank(a.part) - rank(b.part) || words.compare(a.part, b.part),
    )
    .map(({ label }) => label);
}

/** The labels that matter most: all of one stream, those to compare of several. */
export function essentialLabels(definition: ChartDefinition, labels: readonly string[]): string[] {
  const { compare } = definition;
  const streams = new Set(labels.map((label) => partsOf(definition, label).stream));
  if (streams.size < 2 || compare === 'each') return [...labels];
  return labels.filter((label) => compare.includes(partsOf(definition, label).part));
}

/** The labels that a report compares between arms, of those that were measured; the plain ones where none was. */
export function comparedLabels(definition: ChartDefinition, labels: readonly string[]): string[] {
  const { compare } = definition;
  if (compare === 'each') return [...labels];
  const found = labels.filter((label) => compare.includes(partsOf(definition, label).part));
  return found.length > 0 ? found : [...compare];
}

/** The charts of a page that nobody has asked for more of: those that always count, and others with something in them. */
export function mainCharts<T extends { definition: ChartDefinition }>(
  charts: readonly T[],
  isMeasured: (definition: ChartDefinition) => boolean,
): T[] {
  return charts.filter(
    ({ definition }) =>
      definition.primary === true || (definition.primary === 'measured' && isMeasured(definition)),
  );
}

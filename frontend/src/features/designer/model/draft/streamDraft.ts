import type {
  Capacity,
  Curve,
  IdleHold,
  MixedRequest,
  OpenLoop,
  RateStep,
  Replay,
  Stream,
  StreamClient,
  TlsClient,
  WebSocket,
} from '@/api/generated';
import { type Engine, engineOf } from '@/domain/engines';
import { DEFAULTS } from '../../fields/declared';
import { filled, type NumberText, numberOrText, type Pair, type Typed } from './values';

export type DraftStep = Typed<RateStep>;
export type DraftOpenLoop = Typed<OpenLoop>;
export type DraftRequest = Omit<Typed<MixedRequest>, 'headers'> & { headers: Pair[] };
export type DraftStream = Omit<Typed<Stream>, 'headers' | 'requests'> & {
  headers: Pair[];
  requests: DraftRequest[];
};

const blankSections = () => ({
  open_loop: filled<OpenLoop>('OpenLoop', { rate_per_s: 1000 }),
  idle_hold: filled<IdleHold>('IdleHold', { connect_per_s: 1000, think_max_s: 60 }),
});

/** What serves a request, unless a stream says otherwise. */
const SERVED: DraftStream['served_statuses'] = [...DEFAULTS.Stream.served_statuses];

export const servesUsual = ({ served_statuses }: DraftStream) => String(served_statuses) === String(SERVED);

export const blankStream = (key: string): DraftStream => ({
  ...filled<Stream>('Stream', { key, connections: 16 }),
  headers: [],
  requests: [],
});

/** The same stream under another engine: what only the former one knows is dropped, what the new one needs is there. */
export function withEngine(stream: DraftStream, engine: Engine): DraftStream {
  if (stream.engine === engine) return stream;
  const {
    loop,
    section,
    tellsStatuses,
    speaksMore,
    drawsRequests,
    choosesTls,
    pacesClients,
    holdsWebSockets,
  } = engineOf(engine);
  return {
    ...stream,
    engine,
    script: null,
    paths: null,
    probe: false,
    open_loop: null,
    idle_hold: null,
    ...(drawsRequests ? {} : { requests: [] }),
    ...(tellsStatuses ? {} : { served_statuses: SERVED }),
    ...(choosesTls ? {} : { tls_client: null }),
    ...(pacesClients ? {} : { client: null }),
    ...(holdsWebSockets ? {} : { websocket: null }),
    ...(speaksMore ? {} : { protocol: 'http/1.1' as const }),
    ...(section ? { [section]: blankSections()[section] } : {}),
    ...(loop === 'hold'
      ? { method: 'HEAD', threads: 1, keep_alive: true, body: null, body_bytes: null }
      : {}),
  };
}

/** What clients bring to TLS; at first they resume every session that they can. */
export const withTlsClient = (stream: DraftStream, wanted: boolean): DraftStream => ({
  ...stream,
  tls_client: wanted ? filled<TlsClient>('TlsClient', { resumed_percent: 100 }) : null,
});

/** How the clients behave; at first they read as over a slow line. */
export const withClient = (stream: DraftStream, wanted: boolean): DraftStream => ({
  ...stream,
  client: wanted ? filled<StreamClient>('StreamClient', { read_bytes_per_s: 100_000 }) : null,
});

/** Messages over WebSockets instead of requests: what is said of requests only is dropped. */
export const withWebSocket = (stream: DraftStream, wanted: boolean): DraftStream =>
  wanted
    ? {
        ...stream,
        ...{ method: 'GET', body: null, body_bytes: null, requests: [], keep_alive: true },
        ...{ protocol: 'http/1.1' as const, served_statuses: SERVED, rejected_statuses: [] },
        websocket: filled<WebSocket>('WebSocket', {}),
      }
    : { ...stream, websocket: null };

/** Many paths stand instead of the one, and of a script. `files`: what is there to be asked for. */
export function withPaths(
  stream: DraftStream,
  wanted: boolean,
  files: readonly { folder: string; count: NumberText }[],
): DraftStream {
  if (!wanted) return { ...stream, paths: null };
  const { folder, count } = files[0] ?? { folder: '', count: 1000 };
  const paths = { ...DEFAULTS.PathChoice, pattern: folder ? `/${folder}/{n}` : '/{n}', count };
  return { ...stream, path: '/', script: null, paths };
}

export const blankRequest = (): DraftRequest => ({
  ...filled<MixedRequest>('MixedRequest', { path: '/' }),
  headers: [],
});

/** A mix stands instead of one request, and begins with it. */
export function withMix(stream: DraftStream, wanted: boolean): DraftStream {
  if (wanted === stream.requests.length > 0) return stream;
  const { method, path, body, body_bytes } = (wanted ? stream : stream.requests[0]) ?? blankRequest();
  const alone = { method: 'GET', path: '/', body: null, body_bytes: null };
  const own = { method, path, body, body_bytes };
  return wanted
    ? { ...stream, ...alone, script: null, paths: null, requests: [{ ...blankRequest(), ...own }] }
    : { ...stream, ...own, path: path.includes('{n}') ? '/' : path, requests: [] };
}

const COLUMNS = ['weight', 'method', 'path', 'count', 'draw', 'exponent'] as const;

/** The grid of a spreadsheet in the mix, from a row and a column on. Further rows are new requests. */
export function withRequestGrid(
  requests: readonly DraftRequest[],
  row: number,
  from: string,
  grid: readonly string[][],
): DraftRequest[] {
  const first = Math.max(0, COLUMNS.indexOf(from as (typeof COLUMNS)[number]));
  const filledRow = (request: DraftRequest, cells: readonly string[]): DraftRequest => ({
    ...request,
    ...Object.fromEntries(
      cells.flatMap((text, right) => {
        const column = COLUMNS[first + right];
        return column ? [[column, cellOf(column, text.trim())]] : [];
      }),
    ),
  });
  return Array.from({ length: Math.max(requests.length, row + grid.length) }, (_, at) => {
    const cells = grid[at - row];
    const request = requests[at] ?? blankRequest();
    return cells ? filledRow(request, cells) : request;
  });
}

function cellOf(column: (typeof COLUMNS)[number], text: string): NumberText | null {
  if (column === 'count' && text === '') return null;
  return column === 'method' || column === 'path' || column === 'draw' ? text : numberOrText(text);
}

/** How an open loop comes by its rates. */
export type Rates = 'constant' | 'steps' | 'search' | 'curve' | 'replay';

export const ratesOf = ({ steps, capacity, curve, replay }: DraftOpenLoop): Rates => {
  if (capacity) return 'search';
  if (curve) return 'curve';
  if (replay) return 'replay';
  return steps.length > 0 ? 'steps' : 'constant';
};

export type DraftCurve = Typed<Curve>;

/** Where a curve has its loads from: a range of rates, a list of them, percents of a capacity, or connections. */
export type CurvePoints = 'range' | 'rates_per_s' | 'percents' | 'connections';

const LISTED = ['rates_per_s', 'percents', 'connections'] as const;

/** `null` where it has none yet, as when a list was emptied. */
export const pointsOfCurve = (curve: DraftCurve): CurvePoints | null =>
  LISTED.find((name) => curve[name].length > 0) ??
  (curve.from_per_s === null && curve.to_per_s === null ? null : 'range');

const FIRST_POINTS = {
  rates_per_s: [500, 1000, 2000, 4000, 8000],
  percents: [25, 50, 75, 90, 100, 110],
  connections: [1, 2, 4, 8, 16, 32],
};

/** A stream whose curve has its loads from elsewhere. For connections, it opens as many as the most. */
export function withCurvePoints(stream: DraftStream, wanted: CurvePoints): DraftStream {
  const curve = stream.open_loop?.curve;
  if (!stream.open_loop || !curve || wanted === pointsOfCurve(curve)) return stream;
  const none = { ...DEFAULTS.Curve, order: curve.order, rates_per_s: [], percents: [], connections: [] };
  const { from_per_s, to_per_s } = curveFrom(500);
  const of_per_s = wanted === 'percents' ? 1000 : null;
  const own = wanted === 'range' ? { from_per_s, to_per_s } : { of_per_s, [wanted]: FIRST_POINTS[wanted] };
  const isClosed = wanted === 'connections';
  const arrivals = isClosed ? ('constant' as const) : stream.open_loop.arrivals;
  return {
    ...stream,
    ...(isClosed
      ? { connections: Math.max(...FIRST_POINTS.connections), protocol: 'http/1.1' as const }
      : {}),
    open_loop: { ...stream.open_loop, arrivals, curve: { ...none, ...own } },
  };
}

/** One rate, steps that begin with it, a search or a curve from it on, or a log that is still to be read. */
export function withRates(part: DraftOpenLoop, wanted: Rates): DraftOpenLoop {
  if (wanted === ratesOf(part)) return part;
  const { capacity, curve, steps } = part;
  const rate = part.rate_per_s ?? steps[0]?.per_s ?? capacity?.from_per_s ?? curve?.from_per_s ?? 1000;
  const none = { ...part, rate_per_s: null, steps: [], capacity: null, curve: null, replay: null };
  switch (wanted) {
    case 'constant':
      return { ...none, rate_per_s: rate };
    case 'steps':
      return { ...none, steps: [nextStep(rate)] };
    case 'search':
      return { ...none, capacity: searchFrom(rate) };
    case 'curve':
      return { ...none, curve: curveFrom(rate) };
    case 'replay':
      return withGaps(none, '');
  }
}

/** Requests at the instants of a log, as fast as before. */
export const withGaps = (part: DraftOpenLoop, gaps: string): DraftOpenLoop => ({
  ...part,
  ...{ rate_per_s: null, steps: [], capacity: null, curve: null, arrivals: 'constant' },
  replay: { ...filled<Replay>('Replay', { gaps }), ...(part.replay ? { speed: part.replay.speed } : {}) },
});

const curveFrom = (rate: NumberText) =>
  filled<Curve>('Curve', { from_per_s: rate, to_per_s: typeof rate === 'number' ? 10 * rate : 10_000 });

const searchFrom = (rate: NumberText) =>
  filled<Capacity>('Capacity', {
    goal: { p99_ms: 50, errors_percent: 0.1 },
    from_per_s: rate,
    to_per_s: typeof rate === 'number' ? 20 * rate : 20_000,
  });

export const nextStep = (per_s: NumberText): DraftStep => ({ per_s, to_per_s: null, duration_s: 10 });

import { t } from '@lingui/core/macro';
import type { Stream } from '@/api/generated';

export type Engine = NonNullable<Stream['engine']>;

interface EngineDescription {
  label: string;
  help: string;
  /** Closed: a next request waits for the last response. Open: requests follow a schedule. Hold: most connections sleep. */
  loop: 'closed' | 'open' | 'hold';
  /** The field of a stream that only this engine has, and that it needs. */
  section: 'open_loop' | 'idle_hold' | null;
  sendsBodies: boolean;
  runsScripts: boolean;
  /** Records latency by what a status means; else only how many statuses were 400 or more. */
  tellsStatuses: boolean;
  /** HTTP/2 and HTTP/3. */
  speaksMore: boolean;
  /** Takes a mix: requests drawn by weight. */
  drawsRequests: boolean;
  /** Takes what a stream says of its clients' TLS. */
  choosesTls: boolean;
  /** Takes what a stream says of how slow its clients are, and how many go away. */
  pacesClients: boolean;
  /** Its connections may be WebSockets. */
  holdsWebSockets: boolean;
}

/** Properties of load engines that pages need: they ask this and never compare names. */
const engines = (): Record<Engine, EngineDescription> => ({
  wrk: {
    label: 'wrk',
    help: t`Closed loop: each connection waits for the response before it sends the next request.`,
    loop: 'closed',
    section: null,
    sendsBodies: true,
    runsScripts: true,
    tellsStatuses: false,
    speaksMore: false,
    drawsRequests: false,
    choosesTls: false,
    pacesClients: false,
    holdsWebSockets: false,
  },
  'open-loop': {
    label: t`Open loop`,
    help: t`Sends each request on schedule, whether or not earlier ones were answered. Latency counts from the scheduled time.`,
    loop: 'open',
    section: 'open_loop',
    sendsBodies: true,
    runsScripts: false,
    tellsStatuses: true,
    speaksMore: true,
    drawsRequests: true,
    choosesTls: true,
    pacesClients: true,
    holdsWebSockets: true,
  },
  'idle-hold': {
    label: t`Idle hold`,
    help: t`Opens and holds connections; each sends a request from time to time.`,
    loop: 'hold',
    section: 'idle_hold',
    sendsBodies: false,
    runsScripts: false,
    tellsStatuses: true,
    speaksMore: false,
    drawsRequests: false,
    choosesTls: false,
    pacesClients: false,
    holdsWebSockets: false,
  },
});

export const DEFAULT_ENGINE: Engine = 'wrk';

/** A draft may hold a name that is no engine's: the backend says so, and its fields are still shown. */
export function engineOf(name: Engine = DEFAULT_ENGINE): EngineDescription {
  const known = engines();
  return known[name] ?? { ...known[DEFAULT_ENGINE], help: '', runsScripts: false };
}

export const engineChoices = () =>
  Object.entries(engines()).map(([value, { label }]) => ({ value: value as Engine, label }));

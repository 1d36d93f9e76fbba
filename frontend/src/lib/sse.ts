export type StreamState = 'connecting' | 'open' | 'lost';

interface StreamOptions {
  url: string;
  /** Handlers by event name; each gets the event's parsed JSON. */
  on: Record<string, (data: unknown) => void>;
  onState: (state: StreamState) => void;
  /** The server answered with an error instead of a stream; it is asked again after a pause. */
  onRefused?: () => void;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
/** A connection can die without a word. The server speaks at least this often, if only by a fresh snapshot. */
const LONGEST_SILENCE_MS = 30_000;

/** Pauses before the next try: each twice as long as the one before. */
function growingPauses() {
  let next = FIRST_RETRY_MS;
  return {
    take() {
      const pause = next;
      next = Math.min(next * 2, LONGEST_RETRY_MS);
      return pause;
    },
    reset() {
      next = FIRST_RETRY_MS;
    },
  };
}

/** Calls `onSilence` once nothing has been heard for long. */
function watchSilence(onSilence: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  function heard() {
    stop();
    timer = setTimeout(onSilence, LONGEST_SILENCE_MS);
  }
  return { heard, stop };
}

/** Calls the handler of each event that arrives, and `heard` before it. */
function hear(source: EventSource, on: StreamOptions['on'], heard: () => void): void {
  for (const [name, handle] of Object.entries(on))
    source.addEventListener(name, (event) => {
      heard();
      handle(JSON.parse((event as MessageEvent<string>).data));
    });
}

/**
 * Follow a server-sent event stream until the returned function is called.
 *
 * A dropped connection is resumed by the browser itself, which sends Last-Event-ID. Where it gives up (the server
 * answered an error) or nothing has been heard for long, a new stream is opened; the server's snapshot then starts it
 * afresh.
 */
export function followStream({ url, on, onState, onRefused }: StreamOptions): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const pauses = growingPauses();
  const silence = watchSilence(() => {
    onState('lost');
    open();
  });

  function lost(): void {
    onState('lost');
    if (source?.readyState !== EventSource.CLOSED) return;
    onRefused?.();
    silence.stop();
    retry = setTimeout(open, pauses.take());
  }

  function opened(): void {
    pauses.reset();
    silence.heard();
    onState('open');
  }

  function open(): void {
    source?.close();
    silence.heard();
    source = new EventSource(url);
    source.onopen = opened;
    source.onerror = lost;
    hear(source, on, silence.heard);
  }

  onState('connecting');
  open();
  return () => {
    clearTimeout(retry);
    silence.stop();
    source?.close();
  };
}

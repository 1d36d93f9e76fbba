export type StreamState = 'connecting' | 'open' | 'lost';

interface StreamOptions {
  url: string;
  /** Handlers by event name; each gets the event's parsed JSON. */
  on: Record<string, (data: unknown) => void>;
  onState: (state: StreamState) => void;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
/** A connection can die without a word. The server speaks at least this often, if only by a fresh snapshot. */
const LONGEST_SILENCE_MS = 30_000;

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
export function followStream({ url, on, onState }: StreamOptions): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_RETRY_MS;
  const silence = watchSilence(() => {
    onState('lost');
    open();
  });

  function lost(): void {
    onState('lost');
    if (source?.readyState !== EventSource.CLOSED) return;
    silence.stop();
    retry = setTimeout(open, pause);
    pause = Math.min(pause * 2, LONGEST_RETRY_MS);
  }

  function opened(): void {
    pause = FIRST_RETRY_MS;
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

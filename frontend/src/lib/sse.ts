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
  let silence: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_RETRY_MS;

  function heard(): void {
    clearTimeout(silence);
    silence = setTimeout(() => {
      onState('lost');
      open();
    }, LONGEST_SILENCE_MS);
  }

  function lost(): void {
    onState('lost');
    if (source?.readyState !== EventSource.CLOSED) return;
    onRefused?.();
    clearTimeout(silence);
    retry = setTimeout(open, pause);
    pause = Math.min(pause * 2, LONGEST_RETRY_MS);
  }

  function opened(): void {
    pause = FIRST_RETRY_MS;
    heard();
    onState('open');
  }

  function open(): void {
    source?.close();
    heard();
    source = new EventSource(url);
    source.onopen = opened;
    source.onerror = lost;
    for (const [name, handle] of Object.entries(on))
      source.addEventListener(name, (event) => {
        heard();
        handle(JSON.parse((event as MessageEvent<string>).data));
      });
  }

  onState('connecting');
  open();
  return () => {
    clearTimeout(retry);
    clearTimeout(silence);
    source?.close();
  };
}

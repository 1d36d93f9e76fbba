import { onTestFinished, vi } from 'vitest';

/** An event stream under the test's control; jsdom has none. */
export class ControlledSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  readyState = ControlledSource.OPEN;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
  }
  close() {
    this.readyState = ControlledSource.CLOSED;
  }
  /** The connection is lost: the browser tries again by itself (CONNECTING) or has given up (CLOSED). */
  fail(readyState: number) {
    this.readyState = readyState;
    this.onerror?.();
  }
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

/** Has pages open controlled streams until the test ends; `opened` are those so far, `latest` the last of them. */
export function controlStreams() {
  const opened: ControlledSource[] = [];
  class Recorded extends ControlledSource {
    constructor(url: string) {
      super(url);
      opened.push(this);
    }
  }
  vi.stubGlobal('EventSource', Recorded);
  onTestFinished(() => void vi.unstubAllGlobals());
  return { opened, latest: () => opened.at(-1) as ControlledSource };
}

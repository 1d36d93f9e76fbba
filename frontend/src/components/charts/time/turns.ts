import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** So many charts redraw at once: a page is drawn for several at nearly the cost of one. */
const AT_ONCE = 4;
/** In one frame, others follow until so much time is gone: a task must not block the page long. */
const ENOUGH_MS = 12;
const waiting = new Set<() => void>();
let scheduled = false;

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(serveSome);
}

function serveSome(): void {
  scheduled = false;
  const until = performance.now() + ENOUGH_MS;
  do {
    const now = [...waiting].slice(0, AT_ONCE);
    for (const next of now) waiting.delete(next);
    // At once, so that they are seen in this very frame.
    flushSync(() => {
      for (const next of now) next();
    });
  } while (waiting.size > 0 && performance.now() < until);
  if (waiting.size > 0) schedule();
}

/** What the charts of a page draw. It stays the same while its value changes, of which each chart learns in its turn. */
export class Feed<T> {
  private readonly takers = new Set<() => void>();

  constructor(public value: T) {}

  give(value: T): void {
    if (value === this.value) return;
    this.value = value;
    for (const take of this.takers) this.ask(take);
  }

  /** Calls `take` when it is its turn after each new value, and first if there is one since `seen`. Returns how it ends. */
  follow(take: () => void, seen: T): () => void {
    this.takers.add(take);
    if (seen !== this.value) this.ask(take);
    return () => {
      this.takers.delete(take);
      waiting.delete(take);
    };
  }

  private ask(take: () => void): void {
    waiting.add(take);
    schedule();
  }
}

/** A feed of `value`: where it is handed on, nothing is drawn again for a new one but what takes its turn. */
export function useFeed<T>(value: T): Feed<T> {
  const [feed] = useState(() => new Feed(value));
  useEffect(() => feed.give(value), [feed, value]);
  return feed;
}

/**
 * The value of a feed. The charts of a page get a new one a few in each animation frame: all of them within one task
 * would block the page. A chart that `waits`, as nobody sees it, gets none until it no longer does.
 */
export function useTurn<T>(feed: Feed<T>, waits = false): T {
  const [shown, setShown] = useState({ value: feed.value });
  useEffect(() => {
    if (waits) return;
    return feed.follow(() => setShown({ value: feed.value }), shown.value);
  }, [feed, waits, shown]);
  return shown.value;
}

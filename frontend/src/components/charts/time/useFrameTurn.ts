import { useEffect, useState } from 'react';

/** Charts waiting to redraw, oldest first. */
const waiting = new Set<() => void>();
let scheduled = false;

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(serveOne);
}

function serveOne(): void {
  scheduled = false;
  const next = waiting.values().next().value;
  if (next) {
    waiting.delete(next);
    next();
  }
  if (waiting.size > 0) schedule();
}

function takeTurn(redraw: () => void): () => void {
  waiting.add(redraw);
  schedule();
  return () => waiting.delete(redraw);
}

/**
 * `value`, but each chart of a page gets its new one in an animation frame of its own: twelve charts that redraw
 * within one task would block the page for longer than a frame. A value `of` something else is shown at once.
 */
export function useFrameTurn<T>(value: T, of?: string): T {
  const [shown, setShown] = useState({ value, of });
  useEffect(
    () => takeTurn(() => setShown((old) => (old.value === value && old.of === of ? old : { value, of }))),
    [value, of],
  );
  return shown.of === of ? shown.value : value;
}

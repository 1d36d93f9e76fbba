import type { QueryClient } from '@tanstack/react-query';

/** What stands where something is still loading. */
const PLACEHOLDER = '.mantine-Skeleton-root';

/** Charts learn their size in the first frame, and are drawn in the second. */
async function drawn(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Has all parts of the page loaded, as printing does, and waits until none is missing, no data are on their way, and
 * all is drawn; or until the signal says that nobody waits any more.
 */
export async function whenComplete(client: QueryClient, signal?: AbortSignal): Promise<void> {
  // What has come may have parts of its own, which ask for their data only then: twice nothing is missing.
  for (let times = 0; times < 2 && !signal?.aborted; ) {
    window.dispatchEvent(new Event('beforeprint'));
    await drawn();
    const isThere = document.querySelector('h1') !== null && document.querySelector(PLACEHOLDER) === null;
    const isComplete = isThere && client.isFetching() === 0;
    times = isComplete ? times + 1 : 0;
  }
}

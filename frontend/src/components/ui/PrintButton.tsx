import { t } from '@lingui/core/macro';
import { Button, Loader } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** What stands where something is still loading. */
const PLACEHOLDER = '.mantine-Skeleton-root';

/** Something that never comes must not keep a reader from printing the rest. */
const MOST_MS = 10_000;

/** Charts learn their size in the first frame, and are drawn in the second. */
async function drawn(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Has all parts of the page loaded, as printing does, and waits until none is missing, no data are on their way, and
 * all is drawn; or until the signal says that nobody waits any more.
 */
async function whenComplete(client: QueryClient, signal: AbortSignal): Promise<void> {
  const until = performance.now() + MOST_MS;
  // What has come may have parts of its own, which ask for their data only then: twice nothing is missing.
  for (let times = 0; times < 2 && performance.now() < until && !signal.aborted; ) {
    window.dispatchEvent(new Event('beforeprint'));
    await drawn();
    const isComplete = document.querySelector(PLACEHOLDER) === null && client.isFetching() === 0;
    times = isComplete ? times + 1 : 0;
  }
}

/** Prints the page once all of it is there: what is further down may not have loaded yet. */
export function PrintButton() {
  const client = useQueryClient();
  const [isPreparing, setPreparing] = useState(false);
  const asked = useRef<AbortController>(undefined);
  useEffect(() => () => asked.current?.abort(), []);
  const print = async () => {
    asked.current = new AbortController();
    const { signal } = asked.current;
    setPreparing(true);
    await whenComplete(client, signal);
    if (signal.aborted) return; // another page is shown by now
    flushSync(() => setPreparing(false)); // while a page prints, nothing is drawn
    window.print();
  };
  return (
    <Button
      variant="default"
      leftSection={isPreparing ? <Loader size={14} /> : <IconPrinter size={14} />}
      // Not disabled, which would take the keyboard away from it.
      aria-busy={isPreparing}
      aria-label={isPreparing ? t`Print: the page is loading` : undefined}
      onClick={() => !isPreparing && void print()}
    >
      {t`Print`}
    </Button>
  );
}

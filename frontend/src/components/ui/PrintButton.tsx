import { t } from '@lingui/core/macro';
import { Button, Loader } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { whenComplete } from '@/lib/whenComplete';

/** Something that never comes must not keep a reader from printing the rest. */
const MOST_MS = 10_000;

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
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), MOST_MS);
    signal.addEventListener('abort', () => waiting.abort());
    await whenComplete(client, waiting.signal);
    clearTimeout(timer);
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

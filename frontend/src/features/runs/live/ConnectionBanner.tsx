import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { StreamState } from '@/lib/sse';

const PATIENCE_MS = 1500;

/** Says that the page is behind; a hiccup shorter than a second and a half is not worth a word. */
export function ConnectionBanner({ state }: { state: StreamState | 'over' }) {
  const lost = state === 'lost';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!shown) return null;
  return (
    <Alert
      role="status"
      variant="light"
      color="yellow"
      mb="md"
      icon={<IconPlugConnectedX size={16} />}
      title={t`Connection lost`}
    >
      <Trans>The run continues. This page reconnects automatically and then loads what it missed.</Trans>
    </Alert>
  );
}

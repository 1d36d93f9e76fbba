import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Text } from '@mantine/core';
import { type ComponentType, lazy } from 'react';
import { languageOf, messageOf } from '@/lib/problem';
import { arrived } from '@/lib/release';

/** In the place of the part alone: what was typed elsewhere on the page stays. */
function missing(error: unknown) {
  return function MissingPart() {
    return (
      <Alert role="alert" variant="light" color="red" title={t`Not shown`}>
        <Text size="sm">
          <span lang={languageOf(error)}>{messageOf(error)}</span>{' '}
          <Trans>The rest of the page works on; save what you have typed first.</Trans>
        </Text>
        <Button mt="xs" variant="default" onClick={() => window.location.reload()}>
          <Trans>Reload the page</Trans>
        </Button>
      </Alert>
    );
  };
}

/** A part of a page whose code arrives when it is drawn. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => ({ default: await arrived(load).catch(missing) }));
}

let isOpening = false;

/** Opens a dialog whose form is a lazy part, once that has arrived: the form's first field has the focus then. A second press while it is on its way opens nothing. */
export async function openPart(load: () => Promise<unknown>, open: () => void): Promise<void> {
  if (isOpening) return;
  isOpening = true;
  await load().catch(() => undefined); // the part itself says so, and tries again
  isOpening = false;
  open();
}

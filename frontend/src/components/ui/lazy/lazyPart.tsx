import { Alert, Button, Text } from '@mantine/core';
import { type ComponentType, lazy } from 'react';
import { messageOf } from '@/lib/problem';
import { arrived } from '@/lib/release/missingCode';

/** In the place of the part alone: what was typed elsewhere on the page stays. */
function missing(error: unknown) {
  return function MissingPart() {
    return (
      <Alert role="alert" variant="light" color="red" title="Not shown">
        <Text size="sm">
          {messageOf(error)} The rest of the page works on; save what you have typed first.
        </Text>
        <Button mt="xs" variant="default" onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      </Alert>
    );
  };
}

/** A part of a page whose code arrives when it is drawn. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => ({ default: await arrived(load).catch(missing) }));
}

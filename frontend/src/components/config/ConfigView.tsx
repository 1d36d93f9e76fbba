import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ConfigEditorProps } from './ConfigEditor';

const Editor = lazy(() => import('./ConfigEditor').then((module) => ({ default: module.ConfigEditor })));

/** An nginx configuration, read-only, alone or as a diff. CodeMirror is loaded when one is shown. */
export function ConfigView(props: ConfigEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={180} />}>
      <Editor {...props} />
    </Suspense>
  );
}

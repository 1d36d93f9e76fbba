import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

const Editor = lazy(() => import('./ConfigEditor').then((module) => ({ default: module.ConfigEditor })));

export interface ConfigViewProps {
  text: string;
  /** Shown as a diff against this, with unchanged stretches folded. */
  against?: string;
  label: string;
}

/** An nginx configuration, read-only, alone or as a diff. CodeMirror is loaded when one is shown. */
export function ConfigView(props: ConfigViewProps) {
  return (
    <Suspense fallback={<Skeleton height={180} />}>
      <Editor {...props} />
    </Suspense>
  );
}

import { Suspense } from 'react';
import { lazyPart } from '@/components/ui/lazyPart';
import { useNear } from '@/lib/useNear';
import type { ConfigEditorProps } from './ConfigEditor';
import classes from './ConfigView.module.css';

const Editor = lazyPart(() => import('./ConfigEditor').then(({ ConfigEditor }) => ConfigEditor));

/**
 * An nginx configuration, read-only, alone or as a diff. CodeMirror is loaded when the reader comes near; until then,
 * and on paper, the text stands there by itself.
 */
export function ConfigView(props: ConfigEditorProps) {
  const [ref, isNear] = useNear<HTMLPreElement>({ orWhenIdle: false });
  const text = (
    <pre ref={ref} className={classes.waiting} aria-busy={isNear}>
      {props.text}
    </pre>
  );
  return isNear ? (
    <Suspense fallback={text}>
      <Editor {...props} />
    </Suspense>
  ) : (
    text
  );
}

import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { codeLook } from '@/components/ui/code/codeLook';
import classes from './ConfigEditor.module.css';

const diffLook = EditorView.theme({
  '.cm-changedLine': { backgroundColor: 'var(--diff-new) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--diff-old) !important' },
  '.cm-changedLineGutter': { background: 'var(--arm-1) !important' },
  '.cm-deletedLineGutter': { background: 'var(--arm-2) !important' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"', margin: '0 8px' },
  '.cm-changedText, .cm-deletedText': { background: 'none !important', textDecoration: 'none' },
  '.cm-changedText': { fontWeight: '600' },
  '.cm-collapsedLines': {
    background: 'var(--surface)',
    color: 'var(--text-dim)',
    fontFamily: 'var(--mantine-font-family)',
    padding: '2px 12px',
  },
});

export interface ConfigEditorProps {
  text: string;
  /** Shown as a diff against this, with unchanged stretches folded. */
  against?: string;
  label: string;
}

export function ConfigEditor({ text, against, label }: ConfigEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const extensions = [
      ...codeLook('nginx'),
      diffLook,
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorState.phrases.of({ '$ unchanged lines': t`$ unchanged lines` }),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ];
    if (against !== undefined && against !== text) {
      extensions.push(
        unifiedMergeView({
          original: against,
          mergeControls: false,
          gutter: true,
          collapseUnchanged: { margin: 2, minSize: 4 },
        }),
      );
    }
    const view = new EditorView({
      state: EditorState.create({ doc: text, extensions }),
      parent: host.current,
    });
    return () => view.destroy();
  }, [text, against, label]);
  return <div ref={host} className={classes.diff} />;
}

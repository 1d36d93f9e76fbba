import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { ConfigViewProps } from './ConfigView';
import classes from './components.module.css';

const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.number, tags.atom], color: 'var(--code-value)' },
  { tag: tags.comment, color: 'var(--text-dim)' },
]);

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface-sunken)', color: 'var(--text)', maxHeight: '480px' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: '1.55',
    overflow: 'auto',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface-sunken)', color: 'var(--text-dim)', border: 'none' },
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

export function ConfigEditor({ text, against, label }: ConfigViewProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const extensions = [
      StreamLanguage.define(nginx),
      syntaxHighlighting(highlight),
      look,
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
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

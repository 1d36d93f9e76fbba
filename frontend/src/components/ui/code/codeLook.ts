import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export type CodeLanguage = 'nginx' | 'lua' | 'yaml' | 'text';

const LANGUAGES = { nginx, lua, yaml };

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
});

export function codeLook(language: CodeLanguage): Extension[] {
  const mode = language === 'text' ? [] : [StreamLanguage.define(LANGUAGES[language])];
  return [...mode, syntaxHighlighting(highlight), look];
}

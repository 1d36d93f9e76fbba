import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderOf } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import classes from './CodeEditor.module.css';
import { type CodeLanguage, codeLook } from './codeLook';
import { expressions, type LineNote, lineNotes } from './codeMarks';

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: CodeLanguage;
  placeholder?: string;
  /** Shown under their lines. */
  notes?: readonly LineNote[];
  minLines?: number;
  invalid: boolean;
}

export function CodeEditor({
  label,
  value,
  onChange,
  language,
  placeholder,
  notes,
  minLines = 2,
  invalid,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const marks = useRef(new Compartment());
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };

  useEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...codeLook(language),
          expressions,
          lineNumbers(),
          history(),
          indentUnit.of('    '),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          placeholderOf(placeholder ?? ''),
          marks.current.of([]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.theme({ '.cm-content': { minHeight: `${minLines * 1.55 + 0.7}em` } }),
          EditorView.updateListener.of((update) => {
            const text = update.state.doc.toString();
            if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label, placeholder, minLines]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: marks.current.reconfigure(lineNotes(notes ?? [])) });
  }, [notes]);

  return <div ref={host} className={classes.codeEditor} data-invalid={invalid || undefined} />;
}

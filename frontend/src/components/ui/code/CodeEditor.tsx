import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
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

type Setup = Pick<CodeEditorProps, 'label' | 'language' | 'placeholder' | 'minLines'>;

/** What stays as it is while an editor lives. */
function extensionsOf({ label, language, placeholder, minLines = 2 }: Setup): Extension[] {
  return [
    ...codeLook(language),
    expressions,
    lineNumbers(),
    history(),
    indentUnit.of('    '),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    placeholderOf(placeholder ?? ''),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.theme({ '.cm-content': { minHeight: `${minLines * 1.55 + 0.7}em` } }),
  ];
}

/** An editor inside of `host`, made anew where its set-up changes, and the compartment of its notes. */
function useEditor({ label, language, placeholder, minLines, value, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const marks = useRef(new Compartment());
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };

  useEffect(() => {
    if (!host.current) return;
    const tell = EditorView.updateListener.of((update) => {
      const text = update.state.doc.toString();
      if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
    });
    const extensions = extensionsOf({ label, language, placeholder, minLines });
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [...extensions, marks.current.of([]), tell],
    });
    const editor = new EditorView({ parent: host.current, state });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label, placeholder, minLines]);

  return { host, view, marks };
}

export function CodeEditor(props: CodeEditorProps) {
  const { value, notes, invalid } = props;
  const { host, view, marks } = useEditor(props);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value, view]);

  useEffect(() => {
    view.current?.dispatch({ effects: marks.current.reconfigure(lineNotes(notes ?? [])) });
  }, [notes, view, marks]);

  return <div ref={host} className={classes.codeEditor} data-invalid={invalid || undefined} />;
}

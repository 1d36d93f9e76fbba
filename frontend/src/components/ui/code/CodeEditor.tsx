import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { Compartment, EditorState, type Extension, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  placeholder as placeholderOf,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import classes from './CodeEditor.module.css';
import { type CodeLanguage, codeLook } from './codeLook';
import { assistance, type Known } from './completion';

/** Something to say about a line, counted from 1. */
interface LineNote {
  line: number;
  message: string;
}

const expression = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: 'cm-expression' }),
});

/** `{{ variable }}` and `{% if %}` stand out from the text around them. */
const expressions: Extension = [
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = expression.createDeco(view);
      }
      update(update: ViewUpdate) {
        this.decorations = expression.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.theme({ '.cm-expression, .cm-expression *': { color: 'var(--active)', fontWeight: '600' } }),
];

class NoteWidget extends WidgetType {
  constructor(readonly message: string) {
    super();
  }
  override eq(other: NoteWidget): boolean {
    return other.message === this.message;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'cm-note';
    element.textContent = this.message;
    return element;
  }
}

function decorate(state: EditorState, notes: readonly LineNote[]): DecorationSet {
  const ranges = notes.flatMap(({ line, message }) => {
    const { from, to } = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
    return [
      Decoration.line({ class: 'cm-noted' }).range(from),
      Decoration.widget({ widget: new NoteWidget(message), block: true, side: 1 }).range(to),
    ];
  });
  return Decoration.set(ranges, true);
}

/** Notes under their lines; they move with the text until the next ones come. */
function lineNotes(notes: readonly LineNote[]): Extension {
  const field = StateField.define<DecorationSet>({
    create: (state) => decorate(state, notes),
    update: (set, transaction) => set.map(transaction.changes),
    provide: (self) => EditorView.decorations.from(self),
  });
  return [
    field,
    EditorView.theme({
      '.cm-noted': { backgroundColor: 'color-mix(in srgb, var(--danger) 10%, transparent)' },
      '.cm-note': {
        padding: '1px 8px 3px 6px',
        color: 'var(--danger)',
        fontFamily: 'var(--mantine-font-family)',
        fontSize: '12px',
        whiteSpace: 'normal',
      },
    }),
  ];
}

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: CodeLanguage;
  placeholder?: string;
  notes?: readonly LineNote[];
  minLines?: number;
  /** What may be completed; without it, nothing is. */
  known?: Known;
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
function useEditor({ label, language, placeholder, minLines, known, value, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const marks = useRef(new Compartment());
  const latest = useRef({ value, onChange, known });
  latest.current = { value, onChange, known };
  const block = known?.block;

  useEffect(() => {
    if (!host.current) return;
    const tell = EditorView.updateListener.of((update) => {
      const text = update.state.doc.toString();
      if (update.docChanged && text !== latest.current.value) latest.current.onChange(text);
    });
    const extensions = extensionsOf({ label, language, placeholder, minLines });
    if (block !== undefined)
      extensions.push(...assistance(() => latest.current.known ?? { block, expressions: [] }));
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [...extensions, marks.current.of([]), tell],
    });
    const editor = new EditorView({ parent: host.current, state });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label, placeholder, minLines, block]);

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

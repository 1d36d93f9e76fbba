import { type EditorState, type Extension, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';

/** Something to say about a line, counted from 1. */
export interface LineNote {
  line: number;
  message: string;
}

const expression = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: 'cm-expression' }),
});

/** `{{ variable }}` and `{% if %}` stand out from the text around them. */
export const expressions: Extension = [
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
export function lineNotes(notes: readonly LineNote[]): Extension {
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

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { t } from '@lingui/core/macro';
import { DIRECTIVES, VARIABLES } from './directives';

/** What may be completed in a fragment of nginx.conf. */
export interface Known {
  /** The block that the fragment stands in. */
  block: string;
  /** What `{{ }}` may contain: variables of the levels, and calls such as `servers("app")`. */
  expressions: readonly string[];
}

const PLACES = new Map<string, readonly string[]>();
for (const [places, names] of Object.entries(DIRECTIVES))
  for (const name of names.split(' ')) PLACES.set(name, [...(PLACES.get(name) ?? []), ...places.split(' ')]);

const TOKEN =
  /#[^\n]*|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|[{};]|(?:[^\s{};"'#]|\$\{)+/g;

/** The innermost block around the end of a text, and the first word of the statement there, if it has begun. */
export function placeAtEnd(text: string, around: string): { block: string; statement: string | null } {
  const blocks = [around];
  let statement: string | null = null;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isOpen = index + token.length === text.length;
    if (token.startsWith('#') && isOpen) statement = token;
    if (token === '{') blocks.push(statement ?? '');
    if (token === '}' && blocks.length > 1) blocks.pop();
    if (/^[{};]$/.test(token)) statement = null;
    else if (!/^(#|\{[{%])/.test(token)) statement ??= token;
  }
  return { block: blocks.at(-1) ?? around, statement };
}

/** Completions in an expression, of a variable, or of a directive that nginx allows in the block. */
export function completions({ block, expressions }: Known) {
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos, explicit } = context;
    const within = (pattern: RegExp, options: readonly Completion[]) => {
      const found = context.matchBefore(pattern);
      return (
        found && {
          from: found.to - (/[\w$@]*$/.exec(found.text)?.[0].length ?? 0),
          options,
          validFor: /^[\w$@]*$/,
        }
      );
    };
    const closed = /^\s*\}\}/.test(state.sliceDoc(pos, pos + 20)) ? '' : ' }}';
    const inExpression = within(
      /\{\{\s*\w*/,
      expressions.map((label) => ({ label, apply: label + closed, type: 'variable' })),
    );
    if (inExpression) return inExpression;
    const ofRun = within(/@@\w*/, [{ label: '@@folder@@', detail: t`the trial's folder`, type: 'constant' }]);
    if (ofRun) return ofRun;
    const ofNginx = within(/\$\w*/, nginxVariables);
    if (ofNginx) return ofNginx;
    const word = context.matchBefore(/\w*/);
    if (!word || (word.from === word.to && !explicit)) return null;
    const place = placeAtEnd(state.sliceDoc(0, word.from), block);
    if (place.statement !== null) return null;
    return { from: word.from, options: directivesIn(place.block), validFor: /^\w*$/ };
  };
}

const nginxVariables: readonly Completion[] = VARIABLES.split(' ').map((name) => ({
  label: `$${name}`,
  type: 'variable',
}));

const directivesIn = (block: string): Completion[] =>
  [...PLACES]
    .filter(([, places]) => places.includes(block))
    .map(([label]) => ({ label, apply: `${label} `, type: 'keyword', info: () => aboutDirective(label) }));

/** Directives of modules and builds that nginx's documentation does not have. */
const OF_OTHERS = /^(brotli|zstd|client_body_buffers$|client_body_postpone_size$|epoll_events$)/;

/** Where a directive may stand, and its documentation. */
function aboutDirective(name: string): HTMLElement {
  const places = (PLACES.get(name) ?? []).join(', ');
  const about = document.createElement('div');
  about.className = 'cm-about';
  about.append(t`in ${places}`);
  if (OF_OTHERS.test(name)) return about;
  const link = document.createElement('a');
  link.href = `https://nginx.org/r/${name}`;
  link.target = '_blank';
  link.rel = 'noreferrer';
  link.textContent = t`Documentation of ${name}`;
  about.append(document.createElement('br'), link);
  return about;
}

const hover = hoverTooltip((view, pos): Tooltip | null => {
  const word = view.state.wordAt(pos);
  if (!word) return null;
  const name = view.state.sliceDoc(word.from, word.to);
  if (!PLACES.has(name) || placeAtEnd(view.state.sliceDoc(0, word.from), '').statement !== null) return null;
  return { pos: word.from, end: word.to, above: true, create: () => ({ dom: aboutDirective(name) }) };
});

const look = EditorView.theme({
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--mantine-radius-sm)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--active)',
    color: 'var(--surface)',
  },
  '.cm-about, .cm-completionInfo': { padding: '4px 8px' },
  '.cm-about a': { color: 'var(--active)' },
});

/** Completion while one types or by Ctrl+Space, and what a directive is about under the pointer. */
export function assistance(known: () => Known): Extension[] {
  return [
    autocompletion({ override: [(context) => completions(known())(context)], icons: false }),
    hover,
    look,
  ];
}

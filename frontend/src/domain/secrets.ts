/**
 * Takes secrets out of an nginx configuration before it leaves the browser, as `ngxlab bench` does
 * (`cli/ngxlab_cli/secrets.py`); the cases of `cli/tests/secrets.json` hold for both.
 */

export const MASK = '********';

export const NAME =
  /authorization|passw(or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth[-_]?key|x-auth|credential|cookie|session|signature|dsn|salt|csrf|(?<!by)(?<!proxy_)(?<!upstream_)pass(?![a-z])|(?<!cache)(?<!limit)(?<!hash)(?<!zone)(?<!memcached)[_-]key(?![\w-])/i;
const GIVES = new Set(
  'add_header fastcgi_param grpc_set_header js_var proxy_set_header scgi_param set set_escape_uri set_if_empty set_unescape_uri uwsgi_param'.split(
    ' ',
  ),
);
const CODE = /^(\w+_by_lua|perl|perl_set)$/;
const NOT_CODE = /^(\$\w+|[\w:]+)$/;
const WHOLLY = /^(secure_link_md5|userid_mark|encrypted_session_key|(?!\w*_file$)\w*(passw|secret)\w*)$/;
const ASKS_REDIS = /^redis2_\w*query$/;
const CHOOSES = new Set(['geo', 'map', 'split_clients']);
const NO_KEYS = new Set(['default', 'hostnames', 'ranges', 'volatile', 'include', '""', "''"]);
export const SHAPES: readonly [RegExp, string][] = [
  [/:\/\/[^/@\s"']+@/g, `://${MASK}@`],
  [
    /((?:^|[?&\s"'])(?:[\w-]*(?:key|token|secret|password|passwd|pwd|signature|auth))=)[^&\s"';$*]+/gi,
    `$1${MASK}`,
  ],
  [/([\w-]*(?:api[-_]?key|token|secret|password|passwd)\\?"\s*:\s*\\?")[^"$\\*]+/gi, `$1${MASK}`],
  [/\b(Basic|Bearer|Digest|Token)\s+[^$\s"'*]{4,}/g, `$1 ${MASK}`],
  [/\b(AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,})/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
  [/(?<![\w/.$-])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}={0,2}/g, MASK],
];
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$(?![\s\S]))/g;
const FILE = /^# configuration file .+:$/;
const VARIABLE = /(\$\{?\w+\}?)/;
const NAMED = /^(?<quote>["']?)(?<name>[\w-]+)(?<colon>:\s*)(?<value>[\s\S]*?)(?<end>["']?)$/;
const SCHEME = /^(Basic|Bearer|Digest|Token)\s+/;
const TOKEN =
  /(?<comment>#[^\n]*)|(?<end>[;{}])|(?<word>"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|(?:\\[\s\S]|\$\{|[^\s;{\\])(?:\\[\s\S]|\$\{|[^\s;{\\])*)/g;
const IN_CODE =
  /--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[{}]/g;

interface Word {
  text: string;
  begin: number;
  end: number;
}

/** `within`: the block around it that chooses values, such as `map`. */
interface Statement {
  words: readonly Word[];
  within: Statement | null;
}

/** What stands in the place of a comment or of code. */
interface Left {
  put: string;
  begin: number;
  end: number;
}

const wordOf = (statement: Statement, place: number) => statement.words.at(place)?.text ?? '';
const nameOf = ({ words }: Pick<Statement, 'words'>) =>
  (words[0]?.text ?? '').replaceAll(/^["']+|["']+$/g, '');
const linesOf = (text: string) => '\n'.repeat(text.split('\n').length - 1);

/** The configuration with masks, line by line as it was. */
export function withoutSecrets(given: string): string {
  const text = given.replace(KEY, (found) => MASK + linesOf(found));
  const pieces: string[] = [];
  let at = 0;
  for (const { begin, end, put } of [...changes(text)].sort((one, other) => one.begin - other.begin)) {
    pieces.push(text.slice(at, begin), put);
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

/** The files that `include` asks for. */
export function includesOf(text: string): string[] {
  const found = [...statements(text)].flatMap((one) => ('words' in one ? [one.words] : []));
  return found
    .filter((words) => words.length === 2 && nameOf({ words }) === 'include')
    .map((words) => words[1]?.text.replaceAll(/^["']|["']$/g, '') ?? '');
}

function* changes(text: string): Generator<Left> {
  const keys = new Map<Statement, number>();
  for (const one of statements(text)) {
    if (!('words' in one)) {
      yield one;
      continue;
    }
    for (const [place, word] of one.words.entries()) {
      let put = masked(one, place, word.text);
      if (one.within && place === 0 && put.includes(MASK)) {
        // Keys of a block must differ.
        const number = (keys.get(one.within) ?? 0) + 1;
        keys.set(one.within, number);
        if (number > 1) put = put.replace(MASK, `${MASK}${number}`);
      }
      if (put === word.text) continue;
      yield { begin: word.begin, end: word.end, put: put + linesOf(word.text).slice(linesOf(put).length) };
    }
  }
}

function masked(statement: Statement, place: number, text: string): string {
  const name = nameOf(statement);
  if (place > 0 && CODE.test(name) && !NOT_CODE.test(text)) return MASK;
  if (isSecret(statement, place, text)) {
    const isKey = statement.within !== null && place === 0;
    return literals(text, isPattern(statement, place), isKey);
  }
  if (name === 'env') return text.replace(/=[\s\S]+/, `=${MASK}`);
  const named = name.startsWith('more_set_') ? NAMED.exec(text)?.groups : undefined;
  if (named?.name && NAME.test(named.name))
    return `${named.quote ?? ''}${named.name}${named.colon ?? ''}${literals(named.value ?? '')}${named.end ?? ''}`;
  return SHAPES.reduce((so, [shape, put]) => so.replace(shape, put), text);
}

function isSecret({ within, ...statement }: Statement, place: number, text: string): boolean {
  if (within) {
    if (place > 0) return NAME.test(wordOf(within, -1));
    return NAME.test(wordOf(within, 1)) && !NO_KEYS.has(text);
  }
  const name = nameOf(statement);
  if (WHOLLY.test(name)) return place > 0;
  if (ASKS_REDIS.test(name) && /\bauth\b/i.test(wordOf(statement as Statement, 1)))
    return place > 1 || (place === 1 && text.includes(' '));
  if (name === 'if') {
    const isAbout = statement.words.some((word) => word.text.includes('$') && NAME.test(word.text));
    return place > 0 && isAbout && !/^([=!~*()-]+|\(?\$\w+\)?)$/.test(text);
  }
  return GIVES.has(name) && place > 1 && NAME.test(statement.words[1]?.text ?? '');
}

function isPattern(statement: Statement, place: number): boolean {
  if (statement.within) return place === 0 && /^["']*~/.test(wordOf(statement, 0));
  return /^!?~\*?$/.test(wordOf(statement, place - 1));
}

/**
 * The word without what is no variable. What it begins with to say how somebody is known stays.
 * `pattern`: it is a regular expression, and stays one. `isWhole`: it has no variables.
 */
function literals(text: string, pattern = false, isWhole = false): string {
  const quote = /^["']/.exec(text)?.[0] ?? '';
  const whole = quote ? text.slice(1, -1) : text;
  const close = !quote && whole.endsWith(')') ? ')' : '';
  const inner = whole.slice(0, whole.length - close.length);
  if (pattern) return `${quote}${/^~\*?/.exec(inner)?.[0] ?? ''}\\Q${MASK}\\E${quote}${close}`;
  const scheme = SCHEME.exec(inner)?.[0] ?? '';
  const rest = inner.slice(scheme.length);
  const pieces = isWhole ? [rest] : rest.split(VARIABLE);
  const put = pieces.map((piece, place) => (place % 2 === 1 || !/[^\s*]/.test(piece) ? piece : MASK));
  return `${quote}${scheme}${put.join('')}${quote}${close}`;
}

/** Each directive, and each comment and piece of code with what stands in its place. */
function* statements(text: string): Generator<Statement | Left> {
  let words: Word[] = [];
  const blocks: Statement[] = [];
  const tokens = new RegExp(TOKEN);
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [found] = token;
    const end = token.index + found.length;
    if (token.groups?.comment !== undefined) {
      yield { put: FILE.test(found) ? found : '#', begin: token.index, end };
    } else if (token.groups?.word !== undefined && !(found === '}' && words.length === 0)) {
      words.push({ text: found, begin: token.index, end });
    } else if (found === '}') {
      blocks.pop();
    } else if (words.length > 0) {
      const around = blocks.at(-1);
      const chooses = around && CHOOSES.has(nameOf(around)) && around.words.length > 1;
      const statement = { words, within: chooses ? around : null };
      words = [];
      yield statement;
      if (found === '{' && nameOf(statement).endsWith('_by_lua_block')) {
        const closed = endOfCode(text, end);
        yield { put: linesOf(text.slice(end, closed)), begin: end, end: closed };
        tokens.lastIndex = closed + 1;
      } else if (found === '{') blocks.push(statement);
    }
  }
}

/** Where its closing brace stands. */
function endOfCode(text: string, begin: number): number {
  const tokens = new RegExp(IN_CODE);
  tokens.lastIndex = begin;
  let depth = 1;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    depth += { '{': 1, '}': -1 }[token[0]] ?? 0;
    if (depth === 0) return token.index;
  }
  return text.length;
}

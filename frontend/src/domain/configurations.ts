import type { ConfigurationFile, OwnConfiguration } from '@/api/generated';
import { includesOf, withoutSecrets } from './secrets';

/** A file of somebody's, by its path in what was chosen. */
export interface GivenFile {
  path: string;
  text: string;
}

export const MOST_FILES = 300;
const PASTED = 'nginx.conf';

/** The files that an `include` means; a folder in front, such as /etc/nginx, may differ. */
export function matching(pattern: string, paths: readonly string[]): string[] {
  const wanted = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (wanted.includes('..')) return [];
  const fewest = wanted.length > 1 && /[*?[]/.test(wanted.at(-1) ?? '') ? 2 : 1;
  for (let skipped = 0; skipped <= wanted.length - fewest; skipped++) {
    const found = paths.filter((path) => endsWith(path.split('/'), wanted.slice(skipped)));
    if (found.length > 0) return found.sort();
  }
  return [];
}

function endsWith(parts: readonly string[], wanted: readonly string[]): boolean {
  const tail = parts.slice(-wanted.length);
  return tail.length === wanted.length && wanted.every((part, place) => matches(tail[place] ?? '', part));
}

/** As a shell matches a name: `*` stands for no dot in front. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    return name === pattern; // a bracket that is not closed
  }
}

/** The file that nginx is started with: nginx.conf, as far up as there is one, else the first. */
function mainOf(files: readonly GivenFile[]): GivenFile | undefined {
  const named = files.filter(({ path }) => path === PASTED || path.endsWith(`/${PASTED}`));
  return named.sort((one, other) => one.path.length - other.path.length)[0] ?? files[0];
}

/** The main file and what it includes, in the order in which they are found; nothing else of a folder is read. */
function included(given: readonly GivenFile[]): GivenFile[] {
  const main = mainOf(given);
  if (!main || main.text.trim() === '') return [];
  const byPath = new Map(given.map((file) => [file.path, file.text]));
  const taken = new Map<string, string>([[main.path, main.text]]);
  const todo = [main.text];
  for (let text = todo.pop(); text !== undefined; text = todo.pop())
    for (const path of includesOf(text).flatMap((pattern) => matching(pattern, [...byPath.keys()])))
      if (!taken.has(path)) {
        taken.set(path, byPath.get(path) ?? '');
        todo.push(byPath.get(path) ?? '');
      }
  return [...taken].map(([path, text]) => ({ path, text }));
}

/** What is sent, without secrets. */
export function configurationOf(given: readonly GivenFile[]): OwnConfiguration | null {
  const taken = included(given).slice(0, MOST_FILES);
  if (!taken[0]) return null;
  const files: ConfigurationFile[] = taken.map(({ path, text }) => ({ path, text: withoutSecrets(text) }));
  return { name: taken[0].path.split('/').at(-1) ?? PASTED, files };
}

/** Included files that are not sent, since there are more than {@link MOST_FILES}. */
export const leftOut = (given: readonly GivenFile[]): string[] =>
  included(given)
    .slice(MOST_FILES)
    .map(({ path }) => path);

export const pasted = (text: string): GivenFile[] => [{ path: PASTED, text }];

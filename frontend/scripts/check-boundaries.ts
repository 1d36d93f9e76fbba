/**
 * Imports flow shared -> features -> app, features never import each other, and a TSX file has at most 200 lines:
 * where one grows, it has two jobs. Run by `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

const MAX_TSX_LINES = 200;
const root = join(import.meta.dirname, '..', 'src');

type Place = { layer: 'shared' | 'feature' | 'app'; feature: string | null };

function placeOf(path: string): Place {
  const [top, second] = path.split(sep);
  if (top === 'features') return { layer: 'feature', feature: second ?? null };
  if (top === 'app' || path.startsWith('main.')) return { layer: 'app', feature: null };
  return { layer: 'shared', feature: null };
}

function importsOf(text: string): string[] {
  const pattern = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function resolveInside(file: string, specifier: string): string | null {
  if (specifier.startsWith('@/')) return normalize(specifier.slice(2));
  return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : null;
}

function violation(from: Place, to: Place): string | null {
  if (from.layer === 'shared' && to.layer !== 'shared') return `shared code imports the ${to.layer} layer`;
  if (from.layer === 'feature' && to.layer === 'app') return 'a feature imports the app layer';
  if (from.layer === 'feature' && to.layer === 'feature' && from.feature !== to.feature)
    return `feature ${from.feature} imports feature ${to.feature}`;
  return null;
}

const problems: string[] = [];
const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.startsWith(join('api', 'generated')),
);
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.trimEnd().split('\n').length;
  if (file.endsWith('.tsx') && lines > MAX_TSX_LINES)
    problems.push(`${file}: ${lines} lines (at most ${MAX_TSX_LINES})`);
  for (const specifier of importsOf(text)) {
    const target = resolveInside(file, specifier);
    const message = target && violation(placeOf(file), placeOf(target));
    if (message) problems.push(`${file}: ${message} (${specifier})`);
  }
}
if (files.length === 0) problems.push('no source files found: is the script in the right place?');
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `boundaries: ${files.length} files are fine` : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

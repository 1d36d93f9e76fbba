/**
 * What pages weigh over the wire when somebody opens them for the first time: code, styles and the document, as
 * packed by the build. Answers of the API are not in it. Run by `npm run check`, on the build in `dist`.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '..', 'dist');
const ENTRY = 'index.html';

interface Chunk {
  file: string;
  name?: string;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
}

interface Page {
  name: string;
  budget: number;
  /** What its address loads beside the entry, which has the sign-in page: modules, or groups of `vite.config.ts`. */
  modules: string[];
  /** The catalogs of its texts (`lingui.config.ts`), of which a reader loads one language. */
  texts: string[];
}

const REPORT = { budget: 350_000, texts: ['app', 'shared', 'server/results', 'reports'] };
const PAGES: readonly Page[] = [
  { name: 'sign-in', budget: 150_000, modules: [], texts: ['app'] },
  { name: 'report', modules: ['shell', 'report'], ...REPORT },
  { name: 'shared report', modules: ['src/features/reports/sharing/SharedReportPage.tsx'], ...REPORT },
  { name: 'sample report', modules: ['src/features/reports/sharing/SamplePage.tsx'], ...REPORT },
];

/** English is compiled from what the other language's catalogs translate; what the server says is English already. */
const LANGUAGES = {
  English: { page: '?source', server: null },
  Chinese: { page: '', server: '?server' },
};

/** Loaded when the reader comes near, when nothing else is to do, when asked for, or where a run has what it shows. All else that a page loads counts. */
const LATER = [
  'src/app/shell/NotificationList.tsx',
  'src/components/charts/curve/CurveCanvas.tsx',
  'src/components/charts/distribution/DistributionCanvas.tsx',
  'src/components/charts/heat/HeatCanvas.tsx',
  'src/components/charts/levels/LevelLinesCanvas.tsx',
  'src/components/charts/shift/ShiftCanvas.tsx',
  'src/components/charts/sizing/SizingCanvas.tsx',
  'src/components/charts/steps/StepsCanvas.tsx',
  'src/components/charts/time/TimeChartCanvas.tsx',
  'src/components/charts/trend/TrendCanvas.tsx',
  'src/components/config/ConfigEditor.tsx',
  'src/components/notes/NoteForm.tsx',
  'src/components/runs/AddBlocksForm.tsx',
  'src/components/runs/tags/TagsField.tsx',
  'src/components/sharing/ShareDialog.tsx',
  'src/components/ui/RenderedMarkdown.tsx',
  'src/features/palette/Palette.tsx',
  'src/features/reports/charts/CapacitySection.tsx',
  'src/features/reports/charts/CurveSection.tsx',
  'src/features/reports/charts/SizingSection.tsx',
  'src/features/reports/profiles/ProfileSection.tsx',
  'src/features/reports/sharing/sample.json',
  'src/features/reports/trials/TrialDialog.tsx',
  'src/features/reports/window/WindowForm.tsx',
];

type Manifest = Record<string, Chunk>;

function chunkOf(manifest: Manifest, key: string): Chunk {
  const chunk = manifest[key] ?? Object.values(manifest).find(({ name }) => name === key);
  if (!chunk)
    throw new Error(`${key} is no chunk of the build: did it move? Name it anew in check-weight.ts.`);
  return chunk;
}

/** The files of a page: what all pages share, and its own chunks with what they load as soon as they are drawn. */
function filesOf(manifest: Manifest, { modules }: Page): Set<string> {
  const files = new Set([ENTRY]);
  const seen = new Set(LATER);
  function visit(key: string, withDynamic: boolean): void {
    if (seen.has(key)) return;
    seen.add(key);
    const { file, css = [], imports = [], dynamicImports = [] } = chunkOf(manifest, key);
    for (const name of [file, ...css]) files.add(name);
    for (const next of imports) visit(next, withDynamic);
    if (withDynamic) for (const next of dynamicImports) visit(next, withDynamic);
  }
  visit(ENTRY, false); // what it imports dynamically are the pages
  for (const module of modules) visit(module, true);
  return files;
}

/** The files of its texts in one language. */
function textsOf(manifest: Manifest, { texts }: Page, language: keyof typeof LANGUAGES): string[] {
  return texts.flatMap((catalog) => {
    const query = LANGUAGES[language][catalog.startsWith('server/') ? 'server' : 'page'];
    return query === null ? [] : [chunkOf(manifest, `src/texts/zh-Hans/${catalog}.po${query}`).file];
  });
}

function bytesOf(name: string): number {
  const packed = join(dist, `${name}.br`);
  return statSync(existsSync(packed) ? packed : join(dist, name)).size;
}

/** The data of the sample, which no other page loads. */
const MOST_OF_SAMPLE = 90_000;

const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Manifest;
for (const key of LATER) chunkOf(manifest, key);
for (const page of PAGES)
  for (const language of Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]) {
    const files = [...filesOf(manifest, page), ...textsOf(manifest, page, language)];
    const bytes = files.map(bytesOf).reduce((sum, size) => sum + size, 0);
    const name = `${page.name} in ${language}`;
    console.log(`weight: ${name} ${kB(bytes)} of ${kB(page.budget)}`);
    if (bytes <= page.budget) continue;
    console.error(`${name}: ${bytes - page.budget} bytes too many. Load later what is not seen at once.`);
    process.exitCode = 1;
  }

const sample = bytesOf(chunkOf(manifest, 'src/features/reports/sharing/sample.json').file);
console.log(`weight: data of the sample ${kB(sample)} of ${kB(MOST_OF_SAMPLE)}`);
if (sample > MOST_OF_SAMPLE) {
  console.error(
    `The sample is ${sample - MOST_OF_SAMPLE} bytes too large: make one of a shorter run (scripts/sample.py).`,
  );
  process.exitCode = 1;
}

/**
 * After both builds: names the page for files as the backend knows it, and packs the assets.
 *
 * Browsers get `NAME.br` or `NAME.gz` instead of `NAME` (`backend/ngxlab/front/nginx.conf`).
 */
import { globSync, renameSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const SMALLEST = 1024;
const dist = join(import.meta.dirname, '..', 'dist');

renameSync(join(dist, 'offline', 'offline.html'), join(dist, 'offline', 'report.html'));

/** All at once: each is packed by a thread of its own. */
async function pack(name: string): Promise<void> {
  const content = await readFile(join(dist, name));
  if (content.length < SMALLEST) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await writeFile(join(dist, `${name}.br`), br);
  await writeFile(join(dist, `${name}.gz`), gz);
}

await Promise.all(globSync('assets/*.{js,css,svg}', { cwd: dist }).map(pack));

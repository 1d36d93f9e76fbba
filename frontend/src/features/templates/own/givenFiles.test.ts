import { describe, expect, it } from 'vitest';
import { given, MOST_BYTES, MOST_READ, within } from './givenFiles';

const file = (size: number, text = 'events {}') => ({ size, text: async () => text });

/** As a browser has it: a reader tells at most 100 entries at a time, and none at the end. */
function folder(name: string, all: readonly FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    let at = 0;
    return {
      readEntries(done: (some: FileSystemEntry[]) => void) {
        const some = all.slice(at, at + 100);
        at += 100;
        done([...some]);
      },
    };
  };
  return { name, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

const entry = (name: string) =>
  ({
    name,
    isDirectory: false,
    file: (done: (found: unknown) => void) => done(file(9)),
  }) as unknown as FileSystemEntry;

describe('files that are given', () => {
  it('are all those of a dropped folder, however many it has', async () => {
    const many = Array.from({ length: 250 }, (_, i) => entry(`${i}.conf`));
    const found = await within([folder('etc', [folder('conf.d', many), entry('nginx.conf')]), null]);
    expect(found).toHaveLength(251);
    expect(found.at(249)?.path).toBe('etc/conf.d/249.conf');
    expect(found.at(250)?.path).toBe('etc/nginx.conf');
  });

  it('are named where they are too large or too many', async () => {
    const { files, left } = await given([
      { path: 'a', file: file(MOST_BYTES + 1) },
      { path: 'b', file: file(MOST_BYTES, 'user b;') },
    ]);
    expect(files).toEqual([{ path: 'b', text: 'user b;' }]);
    expect(left).toEqual(['a']);
    const many = Array.from({ length: MOST_READ + 2 }, (_, i) => ({ path: `${i}`, file: file(1) }));
    const all = await given(many);
    expect([all.files.length, all.left]).toEqual([MOST_READ, [`${MOST_READ}`, `${MOST_READ + 1}`]]);
  });
});

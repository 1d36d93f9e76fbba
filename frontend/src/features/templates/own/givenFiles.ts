import type { GivenFile } from '@/domain/configurations';

/** Larger files are no configuration. */
export const MOST_BYTES = 1 << 20;
/** More would not fit into a browser's memory. */
export const MOST_READ = 3000;

/** What was chosen: the files that are read, and the paths of those that are not, since they or they all are too large. */
export interface Given {
  files: GivenFile[];
  left: string[];
}

export interface Chosen {
  path: string;
  file: Pick<File, 'size' | 'text'>;
}

export async function given(chosen: readonly Chosen[]): Promise<Given> {
  const small = chosen.filter(({ file }) => file.size <= MOST_BYTES);
  const left = [...chosen.filter(({ file }) => file.size > MOST_BYTES), ...small.slice(MOST_READ)];
  const read = small.slice(0, MOST_READ).map(async ({ path, file }) => ({ path, text: await file.text() }));
  return { files: await Promise.all(read), left: left.map(({ path }) => path) };
}

/** The files of what was dropped, folders with all that is in them. */
export async function within(entries: readonly (FileSystemEntry | null)[], above = ''): Promise<Chosen[]> {
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!entry) return [];
      const path = `${above}${entry.name}`;
      if (entry.isDirectory) return within(await inside(entry as FileSystemDirectoryEntry), `${path}/`);
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      return [{ path, file }];
    }),
  );
  return found.flat();
}

/** A browser tells some entries at a time, Chromium at most 100: it has told all once it tells none. */
async function inside(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...some);
  }
}

/** An access log that is read here, piece by piece; nothing of it is sent anywhere. */
import { type Reader, readerOf } from './accessLog';
import { addLine, emptyModel, type Model } from './model';

const LONGEST_LINE = 65_536;

export interface Reading {
  /** nginx's directive, its text, `combined` or `json`; empty: the first line tells. */
  format: string;
  /** Told after each piece, from 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/** The bytes of a file, unpacked where it is packed by gzip. `onBytes`: how many of them were read. */
async function textOf(file: Blob, onBytes: (count: number) => void): Promise<ReadableStream<string>> {
  const begin = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        onBytes(piece.length);
        controller.enqueue(piece);
      },
    }),
  );
  const isPacked = begin[0] === 0x1f && begin[1] === 0x8b;
  const plain = isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  return plain.pipeThrough(new TextDecoderStream());
}

/** `null`: the format does not say what was asked. Rejects where the file cannot be read, or the signal says so. */
export async function readLog(file: Blob, { format, onProgress, signal }: Reading): Promise<Model | null> {
  const model = emptyModel();
  let read = 0;
  let reader: Reader | null = null;
  let rest = '';
  const take = (line: string) => {
    const text = line.replace(/\r+$/, '').slice(0, LONGEST_LINE);
    if (text.trim() === '') return true;
    reader ??= readerOf(format.trim(), text);
    if (reader) addLine(model, reader(text));
    return reader !== null;
  };
  const pieces = (await textOf(file, (count) => (read += count))).getReader();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await pieces.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    if (!lines.every(take)) return null;
    onProgress?.(read / file.size);
    await new Promise((resolve) => setTimeout(resolve)); // the page goes on in between
  }
  return take(rest) ? model : null;
}

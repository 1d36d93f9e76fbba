import type { FileSet } from '@/api/generated';
import type { Mix } from '@/domain/mix/model';
import { withChange } from '../paths';
import type { Draft } from './draft';
import { type DraftFiles, withFiles } from './serverDraft';
import { blankRequest, type DraftStream, withGaps, withMix } from './streamDraft';
import { filled } from './values';

interface Wanted {
  /** nginx answers with files of like sizes. */
  answers: boolean;
  /** Of the log, whose instants the requests then have. */
  gaps?: string | null;
}

/** A stream asks for the mix of a log. */
export function withLog(draft: Draft, stream: string, mix: Mix, { answers, gaps }: Wanted): Draft {
  const requests = mix.requests.map((one) => ({ ...blankRequest(), ...one }));
  const next = withChange<Draft, DraftStream>(draft, stream, (own) => ({
    ...withMix(own, true),
    requests,
    open_loop: own.open_loop && gaps ? withGaps(own.open_loop, gaps) : own.open_loop,
  }));
  if (!answers) return next;
  const others = next.nginx.files.filter(({ folder }) => !/^mix-\d+$/.test(folder));
  const files: DraftFiles[] = mix.files.map((set) => filled<FileSet>('FileSet', set));
  return { ...next, nginx: { ...withFiles(next.nginx, [...others, ...files]), server: mix.server } };
}

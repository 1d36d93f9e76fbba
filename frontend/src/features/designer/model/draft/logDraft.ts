import type { FileSet } from '@/api/generated';
import type { Mix } from '@/domain/mix/model';
import { withChange } from '../paths';
import type { Draft } from './draft';
import { type DraftFiles, withFiles } from './serverDraft';
import { blankRequest, type DraftStream, withMix } from './streamDraft';
import { filled } from './values';

/** A stream asks for the mix of a log; where `answers`, nginx answers it with files of like sizes. */
export function withLog(draft: Draft, stream: string, mix: Mix, answers: boolean): Draft {
  const requests = mix.requests.map((one) => ({ ...blankRequest(), ...one }));
  const next = withChange<Draft, DraftStream>(draft, stream, (own) => ({ ...withMix(own, true), requests }));
  if (!answers) return next;
  const others = next.nginx.files.filter(({ folder }) => !/^mix-\d+$/.test(folder));
  const files: DraftFiles[] = mix.files.map((set) => filled<FileSet>('FileSet', set));
  return { ...next, nginx: { ...withFiles(next.nginx, [...others, ...files]), server: mix.server } };
}

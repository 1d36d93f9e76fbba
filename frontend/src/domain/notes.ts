import { t } from '@lingui/core/macro';
import type { NoteOut, RunPlan, TrialOut } from '@/api/generated';
import { formatOffset } from '@/lib/format';
import { armLabel } from './trials';

export const MOST_CHARACTERS = 4000;

/** The run that notes are on, with what names the places in it. */
export interface NotedRun {
  id: string;
  arms: readonly { key: string; label: string }[];
  trials: readonly TrialOut[];
  plan: Pick<RunPlan, 'warmup_s' | 'measure_s'>;
}

/** The subject of a note: the run, one of its trials, or a moment of a trial. */
export interface NotePlace {
  trialId?: string | null;
  t?: number | null;
}

/** A note and its number among all notes of its run, from 1, by which charts name it. */
export interface NumberedNote extends NoteOut {
  number: number;
}

export function numbered(notes: readonly NoteOut[]): NumberedNote[] {
  return notes.map((note, index) => ({ ...note, number: index + 1 }));
}

/** "reuseport on, block 2", or "reuseport on, profile". */
export function trialWords({ arms }: Pick<NotedRun, 'arms'>, trial: TrialOut): string {
  const arm = armLabel(arms, trial.arm);
  const { block, attempt, profile } = trial;
  if (profile) return t`${arm}, profile`;
  return attempt > 1 ? t`${arm}, block ${block}, attempt ${attempt}` : t`${arm}, block ${block}`;
}

type Place = Pick<NoteOut, 'trial_id' | 't_s'>;

/** The place of a note in words: "Whole run", or "reuseport on, block 2, at 3.5 s". */
export function placeWords(run: Pick<NotedRun, 'arms' | 'trials'>, { trial_id, t_s }: Place): string {
  if (trial_id === null) return t`Whole run`;
  const trial = run.trials.find(({ id }) => id === trial_id);
  const name = trial ? trialWords(run, trial) : t`One trial`;
  if (t_s === null) return name;
  const time = formatOffset(t_s);
  return t`${name}, at ${time}`;
}

/** A moment of a trial that somebody wrote of. */
export interface Moment {
  noteId: string;
  trialId: string;
  number: number;
  t: number;
  /** In place of the mark. */
  words: string;
}

const SHOWN = 160;

export function momentsOf(
  run: Pick<NotedRun, 'arms' | 'trials'>,
  notes: readonly NumberedNote[],
  trialIds: readonly string[],
): Moment[] {
  return notes.flatMap(({ id, number, trial_id, t_s, text }) => {
    if (t_s === null || trial_id === null || !trialIds.includes(trial_id)) return [];
    const begin = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    const place = placeWords(run, { trial_id, t_s });
    const words = t`Note ${number}, ${place}: ${begin}`;
    return [{ noteId: id, trialId: trial_id, number, t: t_s, words }];
  });
}

export const noteAnchor = (noteId: string) => `note-${noteId}`;

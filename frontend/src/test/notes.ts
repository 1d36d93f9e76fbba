import type { NoteOut } from '@/api/generated';

export function aNote(changes: Partial<NoteOut> = {}): NoteOut {
  return {
    id: 'note-1',
    trial_id: null,
    t_s: null,
    text: 'A backup ran.',
    author: 'ada@example.org',
    created_at: '2026-01-02T03:04:05Z',
    edited_at: null,
    may_change: true,
    ...changes,
  };
}

import { t } from '@lingui/core/macro';
import { TagsInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { allOf, unwrap } from '@/api/client';
import { type RunSummary, tagRun } from '@/api/generated';
import { useRunChoices } from '@/api/runs';
import { MOST_TAGS, normalTag } from '@/domain/tags';
import { messageOf } from '@/lib/problem';

interface Retagging {
  /** What the run has now, as the reader sees it. */
  before: readonly string[];
  after: readonly string[];
}

/** Change the tags of a run; only the differences are sent, so that two people do not undo each other. */
function useTagRun(id: string) {
  return useMutation({
    mutationFn: ({ before, after }: Retagging) => {
      const body = {
        add: after.filter((tag) => !before.includes(tag)),
        remove: before.filter((tag) => !after.includes(tag)),
      };
      return unwrap(tagRun({ path: { run_id: id }, body, throwOnError: true }));
    },
    meta: { refetches: [allOf('runs')] },
  });
}

/** Each change is saved at once. Tags of other runs are suggested. */
export function TagsField({ run }: { run: Pick<RunSummary, 'id' | 'tags'> }) {
  const tagging = useTagRun(run.id);
  const known = useRunChoices().data?.tags ?? [];
  const [wrong, setWrong] = useState<string>();
  const shown = tagging.isPending ? tagging.variables.after : run.tags;
  const change = (next: string[]) => {
    const refused = next.find((text) => normalTag(text) === null);
    setWrong(refused && t`“${refused}” cannot be a tag.`);
    if (refused !== undefined) return;
    const after = [...new Set(next.flatMap((text) => normalTag(text) ?? []))];
    if (after.join() !== [...shown].join()) tagging.mutate({ before: shown, after });
  };
  return (
    <TagsInput
      label={t`Tags`}
      description={t`Letters, digits, and - _ . between them; at most 32 characters. Enter, a comma or a blank ends one.`}
      data={known}
      value={[...shown]}
      onChange={change}
      maxTags={MOST_TAGS}
      splitChars={[',', ' ']}
      error={wrong ?? (tagging.error && messageOf(tagging.error))}
      comboboxProps={{ withinPortal: false }}
      data-autofocus
    />
  );
}

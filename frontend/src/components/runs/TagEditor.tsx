import { Button, Popover, TagsInput } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import type { RunSummary } from '@/api/generated';
import { useRunChoices } from '@/api/runs/useRunChoices';
import { useTagRun } from '@/api/runs/useTagRun';
import { MOST_TAGS, normalTag, TAG_RULE } from '@/domain/tags';
import { messageOf } from '@/lib/problem';
import { RunTags } from './RunTags';
import { useMayChange } from './useMayChange';

interface Props {
  run: Pick<RunSummary, 'id' | 'experiment_name' | 'number' | 'created_by' | 'tags'>;
}

/** Each change is saved at once. Tags of other runs are suggested. */
function TagsField({ run }: Props) {
  const tagging = useTagRun(run.id);
  const known = useRunChoices().data?.tags ?? [];
  const [wrong, setWrong] = useState<string>();
  const shown = tagging.isPending ? tagging.variables.after : run.tags;
  const change = (next: string[]) => {
    const refused = next.find((text) => normalTag(text) === null);
    setWrong(refused && `“${refused}” cannot be a tag.`);
    if (refused !== undefined) return;
    const after = [...new Set(next.flatMap((text) => normalTag(text) ?? []))];
    if (after.join() !== [...shown].join()) tagging.mutate({ before: shown, after });
  };
  return (
    <TagsInput
      label="Tags"
      description={`${TAG_RULE} Enter, a comma or a blank ends one.`}
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

/** The tags of a run, and for who may change them the way to do so. */
export function TagEditor({ run }: Props) {
  const mayChange = useMayChange(run);
  return (
    <>
      <RunTags tags={run.tags} />
      {mayChange && (
        <Popover position="bottom-start" width={300} trapFocus returnFocus withinPortal shadow="md">
          <Popover.Target>
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              className="no-print"
              leftSection={<IconTag size={13} aria-hidden />}
              aria-label={`Tags of ${run.experiment_name} #${run.number}`}
            >
              {run.tags.length > 0 ? 'Edit tags' : 'Add tags'}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <TagsField run={run} />
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}

import { Button, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ProblemLine, Section } from '../../fields/Section';
import { blankStream, type DraftStream } from '../../model/draft/streamDraft';
import { uniqueKey } from '../../model/draft/values';
import { moved, withValue } from '../../model/paths';
import { StreamEditor } from './StreamEditor';

export function StreamsSection() {
  const store = useStore();
  const count = useDraft((draft) => draft.streams.length);
  const put = (change: (streams: DraftStream[]) => DraftStream[]) =>
    store.change((draft) => withValue(draft, 'streams', change(draft.streams)));
  function add() {
    put((streams) => [
      ...streams,
      blankStream(
        uniqueKey(
          'stream',
          streams.map((stream) => stream.key),
        ),
      ),
    ]);
    focusSoon(`streams.${count}.key`);
  }
  return (
    <Section
      id="load"
      note="Streams of requests. All of a trial start at one instant; offsets count from the start of warm-up."
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add stream
        </Button>
      }
    >
      <ProblemLine path="streams" label="Streams">
        <Stack gap="md">
          {Array.from({ length: count }, (_, index) => (
            <StreamEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: streams are known by their place
              key={index}
              index={index}
              count={count}
              onMove={(by) => put((streams) => moved(streams, index, by))}
              onRemove={() => put((streams) => streams.filter((_, place) => place !== index))}
            />
          ))}
        </Stack>
      </ProblemLine>
    </Section>
  );
}

import { Button, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { memo } from 'react';
import { textOfProblems, useDraft, useField, useStore, useValue } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ChoiceField } from '../../fields/ChoiceField';
import { ConfigField } from '../../fields/ConfigField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine, Section } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import {
  blankUpstreamServer,
  type DraftUpstreamServer,
  type DraftBehaviour,
  withBehaviour,
} from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { moved, withChange, withValue } from '../../model/paths';
import classes from '../items.module.css';

export function UpstreamServersSection() {
  const store = useStore();
  const count = useDraft((draft) => draft.upstream_servers.length);
  const put = (change: (upstream_servers: DraftUpstreamServer[]) => DraftUpstreamServer[]) =>
    store.change((draft) => withValue(draft, 'upstream_servers', change(draft.upstream_servers)));
  function add() {
    put((upstream_servers) => [
      ...upstream_servers,
      blankUpstreamServer(
        uniqueKey(
          'app',
          upstream_servers.map((upstream) => upstream.key),
        ),
      ),
    ]);
    focusSoon(`upstream_servers.${count}.key`);
  }
  return (
    <Section
      id="upstream_servers"
      note={
        'Upstream servers, each an nginx of its own. An upstream in http names them by {{ servers("KEY") }}.'
      }
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add upstream
        </Button>
      }
    >
      <ProblemLine path="upstream_servers" label="Backends">
        {count === 0 && (
          <Text size="sm" c="var(--text-dim)">
            None: nginx answers by itself.
          </Text>
        )}
        <Stack gap="md">
          {Array.from({ length: count }, (_, index) => (
            <UpstreamServerEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: upstream servers are known by their place
              key={index}
              index={index}
              count={count}
              onMove={(by) => put((upstream_servers) => moved(upstream_servers, index, by))}
              onRemove={() => put((upstream_servers) => upstream_servers.filter((_, place) => place !== index))}
            />
          ))}
        </Stack>
      </ProblemLine>
    </Section>
  );
}

interface Props {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}

const BEHAVIOURS = [
  { value: 'own', label: 'As written below' },
  { value: 'sink', label: 'Sink: reads bodies' },
  { value: 'slow', label: 'Slow: answers late' },
];

const UpstreamServerEditor = memo(function UpstreamServerEditor({ index, count, onMove, onRemove }: Props) {
  const path = `upstream_servers.${index}`;
  const key = useDraft((draft) => draft.upstream_servers[index]?.key ?? '');
  const kind = useDraft((draft) => draft.upstream_servers[index]?.behaviour?.kind ?? 'own');
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">Backend {key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label="Key" code />
          <TextField path={`${path}.slot`} label="Plays on slot" code />
          <NumberField path={`${path}.instances`} label="Instances" />
          <NumberField path={`${path}.workers`} label="Workers" />
          <Behaviour path={path} kind={kind} />
        </SimpleGrid>
        <RowActions what={`upstream ${key}`} path="upstream_servers" {...{ index, count, onMove, onRemove }} />
      </div>
      <ProblemLine path={path} label={`Backend ${key || index + 1}`} />
      {kind === 'own' && <ConfigField path={`${path}.server`} label="server" minLines={3} />}
      {kind === 'sink' && (
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          <NumberField path={`${path}.behaviour.response_bytes`} label="Response" unit="B" templated />
        </SimpleGrid>
      )}
      {kind === 'slow' && <SlowPart path={`${path}.behaviour`} />}
    </fieldset>
  );
});

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
function Behaviour({ path, kind }: { path: string; kind: DraftBehaviour['kind'] | 'own' }) {
  const store = useStore();
  const problems = useField(`${path}.behaviour`, 'Behaviour');
  return (
    <NativeSelect
      data-field={`${path}.behaviour`}
      label="Behaviour"
      size="sm"
      data={BEHAVIOURS}
      value={kind}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const next = event.currentTarget.value as typeof kind;
        store.change((draft) =>
          withChange<typeof draft, DraftUpstreamServer>(draft, path, (upstream) => withBehaviour(upstream, next)),
        );
      }}
    />
  );
}

const DISTRIBUTIONS = [
  { value: 'constant', label: 'always the same' },
  { value: 'uniform', label: 'uniform, ± spread' },
  { value: 'exponential', label: 'exponential' },
];

function SlowPart({ path }: { path: string }) {
  const distribution = useValue<string>(`${path}.distribution`);
  return (
    <div>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <NumberField path={`${path}.delay_ms`} label="Delay" unit="ms" templated />
        <ChoiceField path={`${path}.distribution`} label="Distribution" options={DISTRIBUTIONS} />
        {distribution === 'uniform' && (
          <NumberField path={`${path}.spread_ms`} label="Spread" unit="± ms" templated />
        )}
        <NumberField path={`${path}.response_bytes`} label="Response" unit="B" templated />
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6}>
        Needs nginx's Lua module on the host that plays this slot.
      </Text>
    </div>
  );
}

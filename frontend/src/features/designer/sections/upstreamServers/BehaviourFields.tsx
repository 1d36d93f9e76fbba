import { NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { textOfProblems, useField, useStore, useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { type DraftBehaviour, type DraftUpstreamServer, withBehaviour } from '../../model/draft/serverDraft';
import { withChange } from '../../model/paths';

/** `own`: a fragment of configuration that is written by hand. */
type Kind = DraftBehaviour['kind'] | 'own';

const BEHAVIOURS = [
  { value: 'own', label: 'Custom, as below' },
  { value: 'sink', label: 'Sink: reads request bodies' },
  { value: 'slow', label: 'Slow: delays responses' },
];

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
export function BehaviourSelect({ path, kind }: { path: string; kind: Kind }) {
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
        const next = event.currentTarget.value as Kind;
        store.change((draft) =>
          withChange<typeof draft, DraftUpstreamServer>(draft, path, (upstream) =>
            withBehaviour(upstream, next),
          ),
        );
      }}
    />
  );
}

const DISTRIBUTIONS = [
  { value: 'constant', label: 'constant' },
  { value: 'uniform', label: 'uniform, ± spread' },
  { value: 'exponential', label: 'exponential' },
];

function SlowFields({ path }: { path: string }) {
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
        Requires nginx's Lua module on the host in this slot.
      </Text>
    </div>
  );
}

/** What a ready-made behaviour is told; nothing for servers that are written by hand. */
export function BehaviourFields({ path, kind }: { path: string; kind: Kind }) {
  if (kind === 'slow') return <SlowFields path={path} />;
  return kind === 'sink' ? (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
      <NumberField path={`${path}.response_bytes`} label="Response" unit="B" templated />
    </SimpleGrid>
  ) : null;
}

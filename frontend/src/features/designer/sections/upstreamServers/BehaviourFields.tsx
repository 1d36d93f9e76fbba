import { t } from '@lingui/core/macro';
import { NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { textOfProblems, useField, useStore, useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { type DraftBehaviour, type DraftUpstreamServer, withBehaviour } from '../../model/draft/serverDraft';
import { withChange } from '../../model/paths';

/** `own`: a fragment of configuration that is written by hand. */
type Kind = DraftBehaviour['kind'] | 'own';

const behaviours = () => [
  { value: 'own', label: t`Custom, as below` },
  { value: 'sink', label: t`Sink: reads request bodies` },
  { value: 'slow', label: t`Slow: delays responses` },
];

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
export function BehaviourSelect({ path, kind }: { path: string; kind: Kind }) {
  const store = useStore();
  const problems = useField(`${path}.behaviour`, t`Behaviour`);
  return (
    <NativeSelect
      data-field={`${path}.behaviour`}
      label={t`Behaviour`}
      size="sm"
      data={behaviours()}
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

const distributions = () => [
  { value: 'constant', label: t({ message: 'constant', context: 'distribution' }) },
  { value: 'uniform', label: t`uniform, ± spread` },
  { value: 'exponential', label: t({ message: 'exponential', context: 'distribution' }) },
];

function SlowFields({ path }: { path: string }) {
  const distribution = useValue<string>(`${path}.distribution`);
  return (
    <div>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <NumberField path={`${path}.delay_ms`} label={t`Delay`} unit="ms" templated />
        <ChoiceField path={`${path}.distribution`} label={t`Distribution`} options={distributions()} />
        {distribution === 'uniform' && (
          <NumberField path={`${path}.spread_ms`} label={t`Spread`} unit="± ms" templated />
        )}
        <NumberField path={`${path}.response_bytes`} label={t`Response`} unit="B" templated />
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6}>
        {t`Requires nginx's Lua module on the host in this slot.`}
      </Text>
    </div>
  );
}

/** What a ready-made behaviour is told; nothing for servers that are written by hand. */
export function BehaviourFields({ path, kind }: { path: string; kind: Kind }) {
  if (kind === 'slow') return <SlowFields path={path} />;
  return kind === 'sink' ? (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
      <NumberField path={`${path}.response_bytes`} label={t`Response`} unit="B" templated />
    </SimpleGrid>
  ) : null;
}

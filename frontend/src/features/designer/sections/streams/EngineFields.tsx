import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Switch, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { type Engine, engineOf } from '@/domain/engines';
import { useStore, useValue } from '../../designerContext';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { type DraftStream, withPaths } from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import classes from './engine.module.css';
import { OpenLoopFields } from './OpenLoopFields';

interface Props {
  /** Of the stream. */
  path: string;
  engine: Engine;
}

/** What only the stream's own engine is told. */
export function EngineFields({ path, engine }: Props) {
  const Fields: ComponentType<{ path: string }> | undefined = FIELDS[engine];
  return (
    <div className={classes.enginePart}>
      <Text size="xs" c="var(--text-dim)">
        {engineOf(engine).help}
      </Text>
      {Fields && <Fields path={path} />}
    </div>
  );
}

const NUMBER = '{n}';

function WrkFields({ path }: { path: string }) {
  const store = useStore();
  const isMany = useValue<DraftStream['paths']>(`${path}.paths`) !== null;
  return (
    <ProblemLine path={`${path}.paths`} label={t`Paths`}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <NumberField path={`${path}.threads`} label={t`Threads`} templated />
        {isMany && (
          <>
            <NumberField path={`${path}.paths.count`} label={t`n below`} />
            <NumberField path={`${path}.paths.seed`} label={t`Seed`} />
          </>
        )}
      </SimpleGrid>
      <div className={fields.inline} style={{ marginTop: 10 }}>
        <SwitchField path={`${path}.keep_alive`} label={t`Keep connections alive`} />
        <Switch
          size="xs"
          label={t`Random paths`}
          description={t`${NUMBER} is a new random number for each request`}
          checked={isMany}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            store.change((draft) =>
              withChange<typeof draft, DraftStream>(draft, path, (stream) =>
                withPaths(stream, checked, draft.nginx.files),
              ),
            );
          }}
        />
      </div>
    </ProblemLine>
  );
}

function IdleHoldFields({ path }: { path: string }) {
  return (
    <ProblemLine path={`${path}.idle_hold`} label={t`Idle hold`}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <NumberField path={`${path}.idle_hold.connect_per_s`} label={t`Connects`} unit={t`per s`} templated />
        <NumberField path={`${path}.idle_hold.think_min_s`} label={t`Think time from`} unit="s" templated />
        <NumberField
          path={`${path}.idle_hold.think_max_s`}
          label={t({ message: 'to', context: 'think time' })}
          unit="s"
          templated
        />
        <NumberField path={`${path}.idle_hold.seed`} label={t`Seed`} />
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6}>
        <Trans>
          Each connection sends a request after a random think time in this range. A connection that the
          server closes is reopened and counted.
        </Trans>
      </Text>
    </ProblemLine>
  );
}

const FIELDS: Record<Engine, ComponentType<{ path: string }>> = {
  wrk: WrkFields,
  'open-loop': OpenLoopFields,
  'idle-hold': IdleHoldFields,
};

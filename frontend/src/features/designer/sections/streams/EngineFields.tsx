import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import type { ComponentType } from 'react';
import { type Engine, engineOf } from '@/domain/engines';
import { useStore, useValue } from '../../designerContext';
import { Field, Fields, Row, SectionFields } from '../../fields/Field';
import fields from '../../fields/fields.module.css';
import { SwitchField } from '../../fields/inputs';
import { List } from '../../fields/List';
import { Note, ProblemLine } from '../../fields/Section';
import {
  type DraftOpenLoop,
  type DraftStep,
  type DraftStream,
  nextStep,
  withPaths,
  withSteps,
} from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import items from '../items.module.css';
import engineClasses from './engine.module.css';
import { RateSketch } from './RateSketch';

interface Props {
  /** Where the stream is. */
  path: string;
  engine: Engine;
}

/** What only the stream's own engine is told. */
export function EngineFields({ path, engine }: Props) {
  const Fields: ComponentType<{ path: string }> | undefined = PARTS[engine];
  return (
    <div className={engineClasses.enginePart}>
      <Note>{engineOf(engine).help}</Note>
      {Fields && <Fields path={path} />}
    </div>
  );
}

const NUMBER = '{n}';

function WrkFields({ path }: { path: string }) {
  const isMany = useValue<DraftStream['paths']>(`${path}.paths`) !== null;
  return (
    <div>
      <Row>
        <Field of="Stream.threads" at={path} />
        {isMany && <Fields of="PathChoice" at={`${path}.paths`} only={['count', 'seed']} />}
      </Row>
      <div className={fields.inline} style={{ marginTop: 10 }}>
        <Field of="Stream.keep_alive" at={path} />
        <SwitchField
          path={`${path}.paths`}
          label={t`Random paths`}
          name={t`Paths`}
          description={t`${NUMBER} is a new random number for each request`}
          checked={isMany}
          change={(draft, wanted) =>
            withChange<typeof draft, DraftStream>(draft, path, (stream) =>
              withPaths(stream, wanted, draft.nginx.files),
            )
          }
        />
      </div>
    </div>
  );
}

function IdleHoldFields({ path }: { path: string }) {
  return (
    <ProblemLine path={`${path}.idle_hold`} label={t`Idle hold`}>
      <SectionFields of="IdleHold" at={`${path}.idle_hold`} />
      <Note mt={6}>
        <Trans>
          Each connection sends a request after a random think time in this range. A connection that the
          server closes is reopened and counted.
        </Trans>
      </Note>
    </ProblemLine>
  );
}

const PARTS: Record<Engine, ComponentType<{ path: string }>> = {
  wrk: WrkFields,
  'open-loop': OpenLoopFields,
  'idle-hold': IdleHoldFields,
};

const rates = () => [
  { value: 'constant', label: t`One rate` },
  { value: 'steps', label: t`Steps and ramps` },
];

/** When requests are due: one rate, or steps and ramps one after the other. */
function OpenLoopFields({ path }: { path: string }) {
  const store = useStore();
  const own = `${path}.open_loop`;
  const stepped = useValue<DraftStep[]>(`${own}.steps`).length > 0;
  const choose = (wanted: boolean) =>
    store.change((draft) =>
      withChange<typeof draft, DraftOpenLoop>(draft, own, (openLoop) => withSteps(openLoop, wanted)),
    );
  return (
    <ProblemLine path={own} label={t`Open loop`}>
      <div className={engineClasses.engineFields}>
        <SegmentedControl
          size="xs"
          aria-label={t`Rate`}
          value={stepped ? 'steps' : 'constant'}
          onChange={(next) => choose(next === 'steps')}
          data={rates()}
        />
        {stepped && <StepsEditor path={`${own}.steps`} />}
        <Row>
          <Fields of="OpenLoop" at={own} only={['rate_per_s', 'arrivals']} />
          <Field of="Stream.threads" at={path} label={t`Processes`} />
          <Field of="OpenLoop.seed" at={own} />
        </Row>
        <Row>
          <Fields of="Stream" at={path} only={['protocol', 'requests_at_once']} />
        </Row>
        <RateSketch path={path} rates={own} />
        <div className={fields.inline}>
          <Fields of="Stream" at={path} only={['keep_alive', 'probe']} />
        </div>
      </div>
    </ProblemLine>
  );
}

function following(steps: readonly DraftStep[]): DraftStep {
  const last = steps.at(-1);
  return nextStep(last?.to_per_s ?? last?.per_s ?? 1000);
}

/** Rates one after the other, each constant or a ramp to the next. */
function StepsEditor({ path }: { path: string }) {
  return (
    <div>
      <List<DraftStep>
        path={path}
        label={t`Steps`}
        nameOf={(_, number) => t`step ${number}`}
        create={following}
        least={1}
        ordered
        row={items.stepRow}
        adds={t`Add step`}
      >
        {(_, { path: at }) => <Fields of="RateStep" at={at} />}
      </List>
      <Note mt={2}>{t`After the last step, its final rate continues.`}</Note>
    </div>
  );
}

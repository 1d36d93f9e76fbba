import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import type { ComponentType } from 'react';
import { type Engine, engineOf } from '@/domain/engines';
import { useDraft, useStore, useValue } from '../../designerContext';
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
  type Rates,
  ratesOf,
  withClient,
  withPaths,
  withRates,
  withTlsClient,
  withWebSocket,
} from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import items from '../items.module.css';
import { CurveFields } from './CurveFields';
import engineClasses from './engine.module.css';
import { MixFields } from './MixFields';
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
  { value: 'steps', label: t`Steps` },
  { value: 'search', label: t`Highest rate` },
  { value: 'curve', label: t`Curve` },
  { value: 'replay', label: t`Replay` },
];

/** When requests are due: at one rate, in steps and ramps one after the other, or as a search for the capacity, a curve or a log says. */
function OpenLoopFields({ path }: { path: string }) {
  const store = useStore();
  const own = `${path}.open_loop`;
  const mode = ratesOf(useValue<DraftOpenLoop>(own));
  const isSteered = mode === 'search' || mode === 'curve';
  const choose = (wanted: Rates) =>
    store.change((draft) =>
      withChange<typeof draft, DraftOpenLoop>(draft, own, (openLoop) => withRates(openLoop, wanted)),
    );
  return (
    <ProblemLine path={own} label={t`Open loop`}>
      <div className={engineClasses.engineFields}>
        <SegmentedControl
          size="xs"
          aria-label={t`Rate`}
          value={mode}
          onChange={(next) => choose(next as Rates)}
          data={rates()}
        />
        {mode === 'steps' && <StepsEditor path={`${own}.steps`} />}
        {mode === 'search' && <SearchFields path={`${own}.capacity`} />}
        {mode === 'curve' && <CurveFields stream={path} path={`${own}.curve`} />}
        {mode === 'replay' && <ReplayFields path={`${own}.replay`} />}
        <Row>
          <Fields of="OpenLoop" at={own} only={['rate_per_s', 'arrivals']} />
          <Field of="Stream.threads" at={path} label={t`Processes`} />
          <Field of="OpenLoop.seed" at={own} />
        </Row>
        <Row>
          <Fields of="Stream" at={path} only={['protocol', 'requests_at_once']} />
        </Row>
        <TlsFields path={path} />
        <ClientFields path={path} />
        <WebSocketFields path={path} />
        {!isSteered && <RateSketch path={path} rates={own} />}
        <MixFields path={path} />
        <div className={fields.inline}>
          <Fields of="Stream" at={path} only={isSteered ? ['keep_alive'] : ['keep_alive', 'probe']} />
        </div>
      </div>
    </ProblemLine>
  );
}

/** What clients bring to TLS, where nginx speaks it or something was said already. */
function TlsFields({ path }: { path: string }) {
  const own = `${path}.tls_client`;
  const isSaid = useValue<DraftStream['tls_client']>(own) !== null;
  const isTls = useDraft((draft) => draft.nginx.tls);
  if (!isTls && !isSaid) return null;
  return (
    <ProblemLine path={own} label={t`TLS of the clients`}>
      <SwitchField
        path={own}
        label={t`TLS of the clients`}
        description={t`How many handshakes resume a session, and version, key exchange and cipher. Otherwise each is a full one of what both ends like best.`}
        checked={isSaid}
        change={(draft, wanted) =>
          withChange<typeof draft, DraftStream>(draft, path, (stream) => withTlsClient(stream, wanted))
        }
      />
      {isSaid && (
        <Row>
          <Fields of="TlsClient" at={own} />
        </Row>
      )}
    </ProblemLine>
  );
}

/** Clients on slow lines, and those that go away. */
function ClientFields({ path }: { path: string }) {
  const own = `${path}.client`;
  const isSaid = useValue<DraftStream['client']>(own) !== null;
  return (
    <ProblemLine path={own} label={t`Slow or distant clients`}>
      <SwitchField
        path={own}
        label={t`Slow or distant clients`}
        description={t`Each client reads and sends at a rate of its own, is a round trip away, or goes away before it is answered. All but the round trip is for HTTP/1.1.`}
        checked={isSaid}
        change={(draft, wanted) =>
          withChange<typeof draft, DraftStream>(draft, path, (stream) => withClient(stream, wanted))
        }
      />
      {isSaid && (
        <Row>
          <Fields of="StreamClient" at={own} />
        </Row>
      )}
    </ProblemLine>
  );
}

/** Connections that are held, and carry messages. */
function WebSocketFields({ path }: { path: string }) {
  const own = `${path}.websocket`;
  const isSaid = useValue<DraftStream['websocket']>(own) !== null;
  return (
    <ProblemLine path={own} label={t`WebSocket`}>
      <SwitchField
        path={own}
        label={t`WebSocket`}
        description={t`Connections are upgraded and held; each request is a message, and the next message on its connection answers it. Connections take turns.`}
        checked={isSaid}
        change={(draft, wanted) =>
          withChange<typeof draft, DraftStream>(draft, path, (stream) => withWebSocket(stream, wanted))
        }
      />
      {isSaid && (
        <Row>
          <Fields of="WebSocket" at={own} />
        </Row>
      )}
    </ProblemLine>
  );
}

/** The goal that a rate must meet, and the rates between which the highest one is looked for. */
function SearchFields({ path }: { path: string }) {
  return (
    <ProblemLine path={`${path}.goal`} label={t`Goal`}>
      <div className={engineClasses.enginePart}>
        <Row>
          <Fields of="Capacity" at={path} />
        </Row>
        <Row most={5}>
          <Fields of="Goal" at={`${path}.goal`} />
        </Row>
        <Note>
          <Trans>
            Each trial is one search: it tries rate after rate in the whole measured window, which 30 to 60 s
            suit, and its result is the trial’s capacity. The warm-up runs at the lowest rate.
          </Trans>
        </Note>
      </div>
    </ProblemLine>
  );
}

/** How fast the instants of a log follow one another; the log is read with the mix. */
function ReplayFields({ path }: { path: string }) {
  return (
    <ProblemLine path={`${path}.gaps`} label={t`Instants of a log`}>
      <div className={engineClasses.enginePart}>
        <Row>
          <Fields of="Replay" at={path} />
        </Row>
        <Note>
          <Trans>
            Requests come when they came in an access log, which is read with the mix below. After its last
            request the log begins again.
          </Trans>
        </Note>
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

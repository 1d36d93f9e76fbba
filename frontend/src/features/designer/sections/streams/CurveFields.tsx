import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore, useValue } from '../../designerContext';
import { Field, Fields, Row } from '../../fields/Field';
import { StatusesField as NumbersField } from '../../fields/inputs';
import { Note, ProblemLine } from '../../fields/Section';
import {
  type CurvePoints,
  type DraftCurve,
  type DraftStream,
  pointsOfCurve,
  withCurvePoints,
} from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import engineClasses from './engine.module.css';

const points = () => [
  { value: 'range', label: t`Range of rates` },
  { value: 'rates_per_s', label: t`List of rates` },
  { value: 'percents', label: t`Percent of capacity` },
  { value: 'connections', label: t`Connections` },
];

const listNames = () => ({
  rates_per_s: t`Rates, per s`,
  percents: t`Percent of the capacity`,
  connections: t`Numbers of connections`,
});

interface Props {
  /** Where the curve is, and the stream that draws it. */
  path: string;
  stream: string;
}

/** The loads of a curve: rates, or numbers of connections. */
export function CurveFields({ path, stream }: Props) {
  const store = useStore();
  const given = pointsOfCurve(useValue<DraftCurve>(path));
  const [chosen, setChosen] = useState<CurvePoints>(given ?? 'range');
  if (given !== null && given !== chosen) setChosen(given);
  const choose = (wanted: CurvePoints) =>
    store.change((draft) =>
      withChange<typeof draft, DraftStream>(draft, stream, (one) => withCurvePoints(one, wanted)),
    );
  return (
    <ProblemLine path={path} label={t`Curve`}>
      <div className={engineClasses.enginePart}>
        <SegmentedControl
          size="xs"
          mb={8}
          aria-label={t`Points of the curve`}
          value={chosen}
          onChange={(next) => choose(next as CurvePoints)}
          data={points()}
        />
        <Row>
          {chosen === 'range' && (
            <Fields of="Curve" at={path} only={['from_per_s', 'to_per_s', 'rates', 'spacing']} />
          )}
          {chosen !== 'range' && (
            <NumbersField path={`${path}.${chosen}`} label={listNames()[chosen]} suggestions={[]} />
          )}
          {chosen === 'percents' && <Field of="Curve.of_per_s" at={path} />}
          <Field of="Curve.order" at={path} />
        </Row>
        <Note>{chosen === 'connections' ? <OfConnections /> : <OfRates />}</Note>
      </div>
    </ProblemLine>
  );
}

const OfRates = () => (
  <Trans>
    Each trial tries all these rates in the measured window, for an equal time each; 2 to 5 s a rate suit. The
    report shows throughput and latency against the rate, and where throughput stops to follow. The warm-up
    runs at the lowest rate.
  </Trans>
);

const OfConnections = () => (
  <Trans>
    Each trial tries all these numbers of connections in the measured window, for an equal time each. Each
    connection sends its next request as soon as the last one is answered (a closed loop). The report shows
    where more connections no longer raise the throughput, and the scalability law where it fits.
  </Trans>
);

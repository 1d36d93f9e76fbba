import { t } from '@lingui/core/macro';
import { Group, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Report, SizedGoals, SizedRate, Sizing } from '@/api/generated';
import { SizingChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import type { SizingLine } from '@/components/charts/sizing/SizingCanvas';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { armIndex, armLabel } from '@/domain/trials';
import { formatNumber, formatTick, range } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { figureColumn, ReportArm } from '../tables';
import { hostsFor } from './sizing';
import { csv, PERCENTILES, SaveCsv } from './triedRates';

const NAMES: Record<SizedGoals['percentile'], string> = Object.fromEntries(
  PERCENTILES.map(([key, name]) => [key.replace('_us', ''), name]),
) as Record<SizedGoals['percentile'], string>;

const perS = (rate: number) => formatNumber(rate >= 100 ? Math.round(rate) : rate);

const howNames = (): Record<SizedRate['how'], string> => ({
  searched: t({ message: 'searched for', context: 'capacity' }),
  derived: t({ message: 'derived', context: 'capacity' }),
  'not-measured': t`not measured`,
});

/** `12,300 (12,100 to 12,500)`. */
function rateText({ per_s, low, high }: SizedRate): string {
  if (per_s == null) return howNames()['not-measured'];
  return low == null || high == null ? perS(per_s) : `${perS(per_s)} (${range(perS(low), perS(high))})`;
}

/** Bounds that the slider does not move stay as they are. */
function goalWords({ percentile, besides }: SizedGoals, goal_ms: number): string {
  const [name, bound] = [NAMES[percentile], formatTick(goal_ms, 'ms')];
  const rest = besides ? said(besides) : '';
  return rest ? t`${name} ≤ ${bound} and ${rest}` : `${name} ≤ ${bound}`;
}

/** Every arm at every goal of every percentile, a line each. */
export function sizingCsv({ percentiles }: Sizing): string {
  const lines = percentiles.flatMap(({ percentile, goals_ms, arms }) =>
    arms.flatMap(({ arm, rates }) =>
      rates.map(({ per_s, low, high, how }, place) => [
        arm,
        percentile,
        goals_ms[place] ?? null,
        per_s,
        low ?? null,
        high ?? null,
        how,
      ]),
    ),
  );
  return csv([['arm', 'percentile', 'goal_ms', 'per_s', 'low_per_s', 'high_per_s', 'how'], ...lines]);
}

const linesOf = (report: Report, { arms }: SizedGoals): SizingLine[] =>
  arms.map(({ arm, rates }) => {
    const index = armIndex(report.arms, arm);
    const dots = rates.map((rate) => ({
      value: rate.per_s,
      low: rate.low ?? null,
      high: rate.high ?? null,
      text: [rateText(rate), rate.per_s == null ? '' : howNames()[rate.how]].filter(Boolean).join(', '),
    }));
    return { label: armLabel(report.arms, arm), color: armColor(index), dash: armDash(index), dots };
  });

/** The goal that was searched for, else the one in the middle. */
function placeOf({ goals_ms, searched_ms }: SizedGoals): number {
  const searched = goals_ms.indexOf(searched_ms ?? Number.NaN);
  return searched >= 0 ? searched : Math.floor(goals_ms.length / 2);
}

interface Row {
  id: string;
  rate: SizedRate;
}

interface Wanted {
  per_s: number;
  reserve_percent: number;
}

function hostsText(rate: SizedRate, { per_s, reserve_percent }: Wanted): string {
  const found = hostsFor(rate, per_s, reserve_percent);
  if (!found) return '–';
  const [least, most] = found.between ?? [found.hosts, found.hosts];
  return least === most
    ? formatNumber(found.hosts)
    : `${formatNumber(found.hosts)} (${range(formatNumber(least), formatNumber(most))})`;
}

function Served({ rate }: { rate: SizedRate }) {
  return (
    <>
      {rateText(rate)}
      {rate.why && (
        <Text size="xs" c="dimmed">
          <ServerText text={rate.why} />
        </Text>
      )}
    </>
  );
}

const columnsOf = (report: Report, wanted: Wanted): Column<Row>[] => [
  { name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> },
  figureColumn(t`Requests/s, with a 95 % interval`, ({ rate }) => <Served rate={rate} />),
  { name: t`How it is known`, cell: ({ rate }) => howNames()[rate.how] },
  figureColumn(t({ message: 'Hosts', context: 'sizing' }), ({ rate }) => hostsText(rate, wanted)),
];

interface WantedFieldsProps {
  wanted: Wanted;
  onChange: (wanted: Wanted) => void;
}

/** How much is to be served in all, and how much of each host stays free. */
function WantedFields({ wanted, onChange }: WantedFieldsProps) {
  return (
    <Group gap="sm" my="md">
      <NumberInput
        size="xs"
        label={t`Requests/s in all`}
        value={wanted.per_s}
        onChange={(value) => onChange({ ...wanted, per_s: Number(value) || 0 })}
        min={0}
        max={1e12}
        thousandSeparator=","
        w={170}
      />
      <NumberInput
        size="xs"
        label={t`Reserve of each host, %`}
        value={wanted.reserve_percent}
        onChange={(value) => onChange({ ...wanted, reserve_percent: Number(value) || 0 })}
        min={0}
        max={95}
        clampBehavior="strict"
        w={170}
      />
    </Group>
  );
}

interface SliderProps {
  of: SizedGoals;
  place: number;
  onChange: (place: number) => void;
}

function GoalSlider({ of, place, onChange }: SliderProps) {
  const words = goalWords(of, of.goals_ms[place] ?? 0);
  return (
    <section aria-label={t`Goal`}>
      <Text size="sm" fw={500}>
        {t`Goal`}: {words}
      </Text>
      {of.goals_ms.length > 1 && (
        <input
          type="range"
          className="no-print"
          style={{ width: '100%', height: 24, margin: 0, accentColor: 'var(--active)' }}
          aria-label={t`Goal`}
          aria-valuetext={words}
          min={0}
          max={of.goals_ms.length - 1}
          step={1}
          value={place}
          onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
        />
      )}
    </section>
  );
}

interface Props {
  report: Report;
  sizing: Sizing;
}

/** What the host serves at a goal that the reader moves, and how many such hosts a load takes. */
export function SizingSection({ report, sizing }: Props) {
  const { percentiles, not_valid } = sizing;
  const [chosen, choose] = useState<string>();
  const [moved, move] = useState<number>();
  const [wanted, setWanted] = useState<Wanted>({ per_s: 100_000, reserve_percent: 30 });
  const of =
    percentiles.find(({ percentile }) => percentile === chosen) ??
    percentiles.find(({ percentile }) => percentile === 'p99') ??
    percentiles[0];
  const lines = useMemo(() => (of ? linesOf(report, of) : []), [report, of]);
  if (!of) return null;
  const place = Math.min(moved ?? placeOf(of), of.goals_ms.length - 1);
  const goal_ms = of.goals_ms[place];
  const rows = of.arms.flatMap<Row>(({ arm, rates }) => {
    const rate = rates[place];
    return rate ? [{ id: arm, rate }] : [];
  });
  const bounded = NAMES[of.percentile];
  return (
    <Section
      id="sizing"
      title={t`Sizing`}
      note={t`What this host serves of this load at a goal, for planning. Goals that nobody searched for are derived from the rates that were tried: where in each trial they begin to miss the goal, with an interval that holds wherever between two of them that is. What no rate reached is not measured. Hosts: as many as the load takes if it is spread evenly and each keeps its reserve; between brackets by the ends of the interval.`}
      actions={<SaveCsv label={t`Sizing as CSV`} name="sizing.csv" text={() => sizingCsv(sizing)} />}
    >
      {not_valid && (
        <Text size="sm" fw={500} mb="sm">
          {t`Not valid:`} <ServerText text={not_valid} />
        </Text>
      )}
      {percentiles.length > 1 && (
        <SegmentedControl
          size="xs"
          mb="sm"
          className="no-print"
          aria-label={t`Percentile`}
          data={percentiles.map(({ percentile }) => ({ value: percentile, label: NAMES[percentile] }))}
          value={of.percentile}
          onChange={(next) => {
            choose(next);
            move(undefined);
          }}
        />
      )}
      <GoalSlider of={of} place={place} onChange={move} />
      <DataTable columns={columnsOf(report, wanted)} rows={rows} minWidth={560} verticalSpacing={4} mt="xs" />
      <WantedFields wanted={wanted} onChange={setWanted} />
      {of.goals_ms.length > 1 && (
        <SizingChart
          lines={lines}
          goals_ms={of.goals_ms}
          at_ms={goal_ms}
          bounded={bounded}
          name={t`Capacity against the bound on ${bounded}`}
        />
      )}
    </Section>
  );
}

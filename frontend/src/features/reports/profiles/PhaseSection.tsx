import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ArmPhasesOut, PhaseOut, Report } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import type { Column } from '@/components/ui/table/DataTable';
import { formatNumber, formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { figureColumn, GroupedTable, ReportArm } from '../tables';
import classes from './PhaseSection.module.css';

type Part = PhaseOut['phase'];

/** In words that need no other: where the time of a request goes. */
const NAMES: Record<Part, () => string> = {
  open: () => t`Opening the connection, TLS handshake`,
  read: () => t`Reading the request`,
  connect: () => t`Connecting to the upstream server`,
  first_byte: () => t`Waiting for its first byte`,
  body: () => t`Reading the rest of its answer`,
  write: () => t`All else within nginx, writing the response`,
  whole: () => t`The whole request`,
};

const phasesOf = ({ phases }: ArmPhasesOut) => phases.filter(({ phase }) => phase !== 'whole');
const wholeOf = ({ phases }: ArmPhasesOut) => phases.find(({ phase }) => phase === 'whole')?.mean_ms ?? 0;
const ms = (value: number | null) => formatValue(value, 'ms');

/** A bar as long as a request takes, beside that of the slowest arm. The table below says the same. */
function Bar({ arm, longest }: { arm: ArmPhasesOut; longest: number }) {
  return (
    <div className={classes.bar} aria-hidden="true">
      {phasesOf(arm).map(({ phase, mean_ms }) => (
        <div
          key={phase}
          className={classes[phase]}
          style={{ width: `${(100 * Math.max(0, mean_ms)) / (longest || 1)}%` }}
          title={`${NAMES[phase]()}: ${ms(mean_ms)}`}
        />
      ))}
    </div>
  );
}

/** nginx counts whole milliseconds: 0 is less than one. */
const percentile = (value: number) => (value === 0 ? t`< 1 ms` : ms(value));

function difference({ difference_ms, low_ms, high_ms, claimed }: PhaseOut) {
  if (difference_ms === null || low_ms === null || high_ms === null) return '–';
  const text = t`${ms(difference_ms)} (${ms(low_ms)} to ${ms(high_ms)})`;
  return claimed ? <strong>{text}</strong> : text;
}

/** What ends at the edges of a window is counted a little differently by both. */
const NONE_PERCENT = 2;

/** How many requests are in no phase. Renders nothing where it is none. */
function Unlogged({ share }: { share: number }) {
  if (share < NONE_PERCENT) return null;
  const percent = formatValue(share, '%');
  return (
    <small className={classes.requests}>
      <Trans>{percent} of the requests are in no phase: they have a log of their own, or had not ended</Trans>
    </small>
  );
}

type Row = PhaseOut & { id: string };
type Group = ArmPhasesOut & { id: string };

const columns = (): Column<Row>[] => [
  {
    name: t`Phase`,
    cell: ({ phase }) => (
      <span className={classes.name}>
        {phase !== 'whole' && <span className={`${classes.mark} ${classes[phase]}`} />}
        {NAMES[phase]()}
      </span>
    ),
  },
  figureColumn(t`Mean`, ({ mean_ms }) => ms(mean_ms)),
  figureColumn('p50', ({ p50_ms }) => percentile(p50_ms)),
  figureColumn('p99', ({ p99_ms }) => percentile(p99_ms)),
  figureColumn(t`Difference from the baseline`, difference),
];

const groupColumns = (report: Report, longest: number): Column<Group>[] => [
  {
    name: t`Arm`,
    cell: (arm) => (
      <>
        <ReportArm arms={report.arms} arm={arm.arm_key} />
        <Bar arm={arm} longest={longest} />
        <small className={classes.requests}>
          <Trans>{formatNumber(arm.requests)} requests</Trans>
        </small>
        <Unlogged share={arm.unlogged_percent ?? 0} />
      </>
    ),
  },
];

/** Where the time of the arms' requests went in the trials that profiled them. */
export function PhaseSection({ report, arms }: { report: Report; arms: readonly ArmPhasesOut[] }) {
  const longest = Math.max(...arms.map(wholeOf));
  const said = arms.filter(({ sentence }) => sentence);
  return (
    <Section
      id="phases"
      title={t`Where a request’s time goes`}
      note={t`By nginx’s own clock, in whole milliseconds, in extra trials that no verdict counts: the means of all phases add up to that of the whole. What stands in bold differs, all phases taken as one family (5 % of them may be false). How long a connection waited to be accepted is unavailable: nginx does not tell it. All else is nginx’s own work, its limits and subrequests, and reading a body. nginx reads its clock once in each turn of its loop: what it computes within one is in no phase, but in the flame graph.`}
    >
      {said.map(({ arm_key, sentence }) => (
        <p key={arm_key} className={classes.said}>
          <ServerText text={sentence ?? ''} />
        </p>
      ))}
      <GroupedTable
        groups={arms.map((arm) => ({ ...arm, id: arm.arm_key }))}
        rowsOf={({ phases }) => phases.map((phase) => ({ ...phase, id: phase.phase }))}
        groupColumns={groupColumns(report, longest)}
        columns={columns()}
        minWidth={820}
      />
    </Section>
  );
}

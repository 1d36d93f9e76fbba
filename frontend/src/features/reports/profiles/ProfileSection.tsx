import { t } from '@lingui/core/macro';
import { ActionIcon, Group, NativeSelect, Skeleton } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { ArmProfileOut, ProfileSummary, Report } from '@/api/generated';
import { FlameView, type ProfiledArm } from '@/components/charts/flame/FlameView';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { armLabel } from '@/domain/trials';
import { formatDuration, formatMicroseconds, formatNumber, formatValue } from '@/lib/format';
import { useAddress } from '@/lib/useAddress';
import { Section } from '../contents/Section';
import { figureColumn, ReportArm } from '../tables';
import { useProfile, useProfileDifference } from './api';

interface Chosen {
  arm: string;
  /** Compared with this one; none if empty. */
  against: string;
}

/** In the address, so that a link leads to the same two arms. At first, the first other arm against the baseline. */
function useChosen(report: Report, profiles: readonly ProfileSummary[]): [Chosen, (next: Chosen) => void] {
  const [params, change] = useAddress();
  const keys = profiles.map(({ arm_key }) => arm_key);
  const known = (key: string | null) => (key !== null && keys.includes(key) ? key : undefined);
  const { baseline } = report.analysis;
  const arm = known(params.get('profile')) ?? keys.find((key) => key !== baseline) ?? keys[0] ?? '';
  const asked = params.get('against');
  const usual = known(baseline) ?? '';
  const against = asked === 'none' ? '' : (known(asked) ?? usual);
  return [
    { arm, against: against === arm ? '' : against },
    (next) => change({ profile: next.arm, against: next.against || 'none' }),
  ];
}

interface ChoiceProps {
  report: Report;
  profiles: readonly ProfileSummary[];
  value: Chosen;
  onChange: (next: Chosen) => void;
}

function ArmsChoice({ report, profiles, value: { arm, against }, onChange }: ChoiceProps) {
  const data = profiles.map(({ arm_key }) => ({ value: arm_key, label: armLabel(report.arms, arm_key) }));
  return (
    <Group gap="xs" wrap="wrap">
      <NativeSelect
        size="xs"
        aria-label={t`Profile of`}
        value={arm}
        data={data}
        onChange={({ currentTarget: { value } }) =>
          onChange({ arm: value, against: value === against ? arm : against })
        }
      />
      {data.length > 1 && (
        <>
          <ActionIcon
            className="no-print"
            aria-label={t`Swap the arms`}
            disabled={against === ''}
            onClick={() => onChange({ arm: against, against: arm })}
          >
            <IconArrowsExchange size={16} />
          </ActionIcon>
          <NativeSelect
            size="xs"
            aria-label={t`Compared with`}
            value={against}
            data={[{ value: '', label: t`no other arm` }, ...data.filter(({ value }) => value !== arm)]}
            onChange={({ currentTarget: { value } }) => onChange({ arm, against: value })}
          />
        </>
      )}
    </Group>
  );
}

/** With its label; `null` without requests to count its CPU by. */
function profiledArm(report: Report, profile: ArmProfileOut | undefined): ProfiledArm | null {
  if (!profile || profile.cpu_us_per_request === null) return null;
  const { frames, modules, stacks, cpu_us_per_request } = profile;
  return { label: armLabel(report.arms, profile.arm_key), frames, modules, stacks, cpu_us_per_request };
}

const PX = 420;

function Graph({ report, chosen: { arm, against } }: { report: Report; chosen: Chosen }) {
  const own = useProfile(report.run.id, arm);
  const other = useProfile(report.run.id, against);
  const difference = useProfileDifference(report.run.id, arm, against);
  const profile = useMemo(() => profiledArm(report, own.data), [report, own.data]);
  const compared = useMemo(() => profiledArm(report, other.data), [report, other.data]);
  const error = own.error ?? other.error ?? difference.error;
  if (error) return <ProblemNotice error={error} retry={() => void own.refetch()} />;
  if (!own.data || (against && (!other.data || difference.isPending)))
    return <Skeleton height={PX} aria-label={t`Loading`} />;
  if (!profile || (against && !compared))
    return (
      <EmptyState title={t`No CPU a request`}>{t`No request was counted while it was profiled.`}</EmptyState>
    );
  const { sentence, claims } = (against && difference.data) || {};
  return (
    <>
      {sentence && (
        <p style={{ margin: '0 0 10px' }}>
          <ServerText text={sentence} />
        </p>
      )}
      <FlameView arm={profile} against={against ? compared : null} claims={claims} />
    </>
  );
}

type Row = ProfileSummary & { id: string };

const columns = (report: Report): Column<Row>[] => [
  { name: t`Arm`, cell: ({ arm_key }) => <ReportArm arms={report.arms} arm={arm_key} /> },
  figureColumn(t`CPU a request`, ({ cpu_us_per_request }) => formatMicroseconds(cpu_us_per_request)),
  figureColumn(t`Trials`, ({ trials }) => trials),
  figureColumn(t`Requests`, ({ requests }) => formatNumber(requests)),
  figureColumn(t`Samples`, ({ samples }) => formatNumber(samples)),
  figureColumn(t`CPU by samples`, ({ cpu_s }) => formatDuration(cpu_s)),
  figureColumn(t`CPU by the kernel’s count`, ({ worker_cpu_s }) => formatDuration(worker_cpu_s)),
  figureColumn(t`Lost`, ({ lost }) => formatNumber(lost)),
  figureColumn(t`Without a name`, ({ unresolved_percent }) => formatValue(unresolved_percent, '%')),
];

const thousand = (value: number | null | undefined) => formatNumber(1000 * (value ?? Number.NaN));

const countColumns = (report: Report): Column<Row>[] => [
  {
    name: t`By the kernel, in 1,000 requests`,
    cell: ({ arm_key }) => <ReportArm arms={report.arms} arm={arm_key} />,
  },
  figureColumn(t`Waited for a CPU`, ({ counts }) =>
    formatMicroseconds(1000 * (counts?.cpu_wait_us ?? Number.NaN)),
  ),
  figureColumn(t`Waits`, ({ counts }) => thousand(counts?.waits)),
  figureColumn(t`Preempted`, ({ counts }) => thousand(counts?.preemptions)),
  figureColumn(t`Moved to another CPU`, ({ counts }) => thousand(counts?.migrations)),
  figureColumn(t`Page faults`, ({ counts }) => thousand(counts?.minor_faults)),
  figureColumn(t`Of them from a disk`, ({ counts }) => thousand(counts?.major_faults)),
];

const isUserOnly = (profiles: readonly ProfileSummary[]) => profiles.some(({ kernel }) => !kernel);

/** Where the CPU time of the arms' requests went in the trials that profiled them. */
export function ProfileSection({
  report,
  profiles,
}: {
  report: Report;
  profiles: readonly ProfileSummary[];
}) {
  const [chosen, choose] = useChosen(report, profiles);
  const rows = profiles.map((profile) => ({ ...profile, id: profile.arm_key }));
  const note = t`The functions that nginx’s processes were in, sampled in extra trials that no verdict counts. A frame is as wide as what it costs a request in CPU time, with all that it calls below it; of two arms, as what it costs in both. Bold differences stand among all functions at once (5 % of them may be false).`;
  return (
    <Section
      id="profile"
      title={t`Where the CPU time goes`}
      note={isUserOnly(profiles) ? `${note} ${t`The host does not show the kernel’s functions.`}` : note}
      actions={<ArmsChoice {...{ report, profiles }} value={chosen} onChange={choose} />}
    >
      <Graph report={report} chosen={chosen} />
      <DataTable columns={columns(report)} rows={rows} minWidth={820} verticalSpacing={4} mt="md" />
      {rows.some(({ counts }) => counts) && (
        <DataTable columns={countColumns(report)} rows={rows} minWidth={820} verticalSpacing={4} mt="md" />
      )}
    </Section>
  );
}

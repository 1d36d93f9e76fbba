import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { itemsOf } from '@/api/client';
import {
  type CalibrationOut,
  type Capability,
  getHostOptions,
  type HostDetail,
  listCalibrationsOptions,
  type MetricNoise,
} from '@/api/generated';
import { useStartRun } from '@/api/runs';
import { useHasRole } from '@/api/session';
import { ofTeam } from '@/components/access/teams';
import { StoredInventory } from '@/components/hosts/InventoryFacts';
import { StateBadge } from '@/components/runs/StateBadge';
import { CopyField } from '@/components/ui/CopyField';
import { Dim } from '@/components/ui/Dim';
import { Facts } from '@/components/ui/Facts';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { said } from '@/lib/language/serverText';
import { usePageTitle } from '@/lib/usePageTitle';
import { HostActions } from './HostActions';
import { clockText, heartbeatText } from './health';
import { OwnerPanel } from './OwnerPanel';

/** What a host can do, and for what it cannot do, why not and how to fix it. */
const capabilityColumns = (): Column<Capability & { id: string }>[] => [
  { name: t`Capability`, look: { fw: 500 }, cell: ({ name }) => name },
  {
    name: t`Available`,
    nowrap: true,
    cell: ({ available }) => (
      <>
        {available ? <IconCheck size={14} aria-hidden /> : <IconMinus size={14} aria-hidden />}{' '}
        {available ? t`yes` : t`no`}
      </>
    ),
  },
  { name: t`Detail`, look: { c: 'var(--text-dim)', lang: 'en' }, cell: ({ detail }) => detail },
];

const MOST_METRICS = 3;

function noiseText({ scale, half_width, unit, title }: MetricNoise): string {
  const size =
    scale === 'ratio'
      ? `${(100 * half_width).toPrecision(2)} %`
      : `${half_width.toPrecision(2)} ${unit}`.trim();
  return `${said(title)} ±${size}`;
}

function Again({ calibration }: { calibration: CalibrationOut }) {
  const start = useStartRun();
  const navigate = useNavigate();
  const again = () =>
    start.mutate(
      { experimentId: calibration.experiment_id, body: { hosts: calibration.host_of_slot } },
      { onSuccess: (run) => void navigate(`/runs/${run.id}`) },
    );
  return (
    <Button variant="default" size="compact-sm" loading={start.isPending} onClick={again}>
      {t`Calibrate again`}
    </Button>
  );
}

/** The run in which it was taken, which may have been deleted since. */
function Origin({ calibration }: { calibration: CalibrationOut }) {
  const { run_id, experiment_id, experiment_name } = calibration;
  if (run_id) return <Link to={`/runs/${run_id}/report`}>{experiment_name}</Link>;
  return (
    <Trans>
      <Link to={`/experiments/${experiment_id}`}>{experiment_name}</Link> (its run was deleted)
    </Trans>
  );
}

const calibrationColumns = (mayStart: boolean): Column<CalibrationOut>[] => [
  {
    name: t({ message: 'Load', context: 'traffic' }),
    cell: (calibration) => (
      <>
        <Origin calibration={calibration} />
        {calibration.hosts.length > 1 && <Dim size="xs">{calibration.hosts.join(', ')}</Dim>}
      </>
    ),
  },
  { name: t`Taken`, cell: ({ taken_at }) => <RelativeTime iso={taken_at} /> },
  {
    name: t`Noise (95 % interval)`,
    cell: ({ noise }) => noise.slice(0, MOST_METRICS).map(noiseText).join(', '),
  },
  { name: t`State`, cell: ({ stale }) => (stale ? t`stale: ${stale}` : t`in force`) },
  { name: t`Actions`, hidden: true, cell: (one) => mayStart && <Again calibration={one} /> },
];

/** The noise that calibrations measured on this host, and whether it still holds. */
function CalibrationsPanel({ hostId }: { hostId: string }) {
  const mayStart = useHasRole('experimenter');
  const query = useQuery({ ...listCalibrationsOptions({ path: { host_id: hostId } }), select: itemsOf });
  return (
    <Panel
      title={t`Calibrations`}
      flush
      note={t`A calibration compares an arm with itself. Differences smaller than that are no finding on this host.`}
    >
      <QueryView query={query} skeleton={[40]}>
        {(calibrations) => (
          <DataTable
            columns={calibrationColumns(mayStart)}
            rows={calibrations}
            minWidth={640}
            verticalSpacing={5}
            empty={t`Not calibrated yet. Choose Run on an experiment, then Calibrate instead.`}
          />
        )}
      </QueryView>
    </Panel>
  );
}

/** States in which a host answers, but takes no runs until somebody has done something about it. */
const troubles = (): Partial<Record<HostDetail['state'], { title: string; newRuns: string }>> => ({
  conflict: {
    title: t`Credential in use twice`,
    newRuns: t`not accepted: several agents use its credential`,
  },
  upgrade: { title: t`Upgrade needed`, newRuns: t`not accepted: upgrade needed` },
  'no-redis': { title: t`Redis cannot be reached`, newRuns: t`wait: it cannot reach Redis` },
  'no-room': { title: t`The disk is full`, newRuns: t`wait: its disk is full` },
});

/** What somebody should do about this host: now where it takes no runs, at leisure where only its agent is older. */
function HostAdvice({ host: { state, state_detail, upgrade, upgrade_command } }: { host: HostDetail }) {
  const trouble = troubles()[state];
  const text = trouble ? state_detail : upgrade;
  if (text === null) return null;
  return (
    <Alert
      role={trouble ? 'alert' : 'note'}
      variant="light"
      color={trouble ? 'red' : 'gray'}
      title={trouble?.title ?? t`Upgrade available`}
    >
      <Stack gap="xs">
        <ServerText text={text} />
        {upgrade_command !== null && (!trouble || state === 'upgrade') && (
          <>
            <Text size="sm">
              <Trans>
                Run this line on the host, as root or with sudo. Its credential, caps and data stay.
              </Trans>
            </Text>
            <CopyField value={upgrade_command} label={t`upgrade command`} />
          </>
        )}
      </Stack>
    </Alert>
  );
}

function newRuns({ state, draining }: HostDetail): string {
  return troubles()[state]?.newRuns ?? (draining ? t`not accepted: draining` : t`accepted`);
}

function HealthPanel({ host }: { host: HostDetail }) {
  const { agent_version: version, protocol } = host;
  const run = host.run_id && (
    <Anchor component={Link} to={`/runs/${host.run_id}`} underline="always">
      {t`Open the run`}
    </Anchor>
  );
  return (
    <Panel title={t`Health`}>
      <Facts
        rows={[
          [t`Heartbeat`, heartbeatText(host)],
          [t`Clock offset to the server`, clockText(host)],
          [t`Current run`, run || t`none`],
          [t`New runs`, newRuns(host)],
          ...(host.team ? [[t`Who may run on it`, ofTeam(host.team)] as const] : []),
          [t`Agent`, t`version ${version}, protocol ${protocol}`],
          [t`Joined`, <RelativeTime key="joined" iso={host.created_at} />],
        ]}
      />
    </Panel>
  );
}

export default function HostPage() {
  const { hostId = '' } = useParams();
  const query = useQuery({ ...getHostOptions({ path: { host_id: hostId } }), refetchInterval: 5000 });
  usePageTitle(query.data?.name ?? t`Host`);
  return (
    <QueryView query={query} skeleton={[48, 100, 300]} wayOut={{ label: t`All hosts`, to: '/hosts' }}>
      {(host) => (
        <>
          <PageHeader
            title={host.name}
            crumbs={[{ label: t`Hosts`, to: '/hosts' }]}
            aside={<StateBadge state={host.state} />}
            meta={!troubles()[host.state] && <InEnglish>{host.state_detail}</InEnglish>}
            actions={<HostActions host={host} />}
          />
          <Stack gap="md">
            <HostAdvice host={host} />
            <HealthPanel host={host} />
            <CalibrationsPanel hostId={host.id} />
            {host.inventory && <OwnerPanel caps={host.inventory.caps} />}
            {host.inventory && (
              <Panel title={t`Capabilities`} flush>
                <DataTable
                  columns={capabilityColumns()}
                  rows={host.inventory.capabilities.map((one) => ({ ...one, id: one.name }))}
                  minWidth={480}
                />
              </Panel>
            )}
            <Panel
              title={t`Inventory`}
              note={
                <Trans>
                  As reported <RelativeTime iso={host.inventory_at} />.
                </Trans>
              }
            >
              <StoredInventory
                inventory={host.inventory}
                remedy={t`The agent sends it again when it starts: restart it.`}
              />
            </Panel>
          </Stack>
        </>
      )}
    </QueryView>
  );
}

import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import type { HostSummary } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { ofTeam, useMayUse } from '@/components/access/teams';
import { nameOfState } from '@/domain/states';
import { formatBytes } from '@/lib/format';

export function machineText(
  host: Pick<HostSummary, 'cpu_logical' | 'memory_bytes'>,
  separator = ', ',
): string {
  const { cpu_logical: count, memory_bytes } = host;
  if (count === null || memory_bytes === null) return t`unreadable inventory`;
  return `${t`${count} CPUs`}${separator}${formatBytes(memory_bytes)}`;
}

interface Props {
  value: string | null;
  onChange: (hostId: string | null) => void;
  error?: string;
  label?: string;
}

/** Choose where to run. A busy host queues the run; one that is away, draining or another team's cannot be chosen. */
export function HostSelect({ value, onChange, error, label = t`Host` }: Props) {
  const { data: hosts, isPending } = useHosts();
  const mayUse = useMayUse(hosts ?? []);
  const options = (hosts ?? []).map((host) => ({
    value: host.id,
    label: [
      host.name,
      machineText(host, ' · '),
      ...(host.state === 'idle' ? [] : [nameOfState(host.state)]),
      ...(host.team ? [ofTeam(host.team)] : []),
    ].join(' · '),
    disabled: host.state === 'offline' || host.state === 'draining' || !mayUse(host.team),
  }));
  const chosen = hosts?.find((host) => host.id === value);
  return (
    <Select
      label={label}
      data={options}
      value={value}
      onChange={onChange}
      error={error}
      disabled={isPending}
      allowDeselect={false}
      placeholder={isPending ? t`Loading hosts…` : t`Choose a host`}
      nothingFoundMessage={t`No host is registered`}
      description={chosen?.state === 'busy' ? t`Busy: the run starts when the host is free.` : undefined}
    />
  );
}

import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import type { HostSummary } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { type Slot, TARGET } from '@/domain/slots';
import type { HostChoice } from './useHostChoice';

type HostNginx = HostSummary['nginx'][number];

interface Props {
  slots: readonly Slot[];
  choice: Pick<HostChoice, 'assigned' | 'nginx' | 'builds' | 'setNginx'>;
  /** What the server refused, by `nginx.SLOT` and `nginx.BUILD`. */
  problems: ReadonlyMap<string, string>;
}

const optionOf = ({ path, version, name }: HostNginx) => ({
  value: path,
  label: name === path ? `${version} · ${path}` : `${name} · ${path}`,
});

/** Which nginx each slot runs, where its host has several, and which one each build is that arms name. */
export function NginxChoice({ slots, choice: { assigned, nginx, builds, setNginx }, problems }: Props) {
  const { data: hosts } = useHosts();
  const of = (slot: string) => hosts?.find(({ id }) => id === assigned[slot])?.nginx ?? [];
  const serving = slots.filter(({ roles }) => roles.some((role) => role !== 'generator'));
  const ofSlots = serving
    .filter(({ slot }) => of(slot).length > 1 && !(slot === TARGET && builds.length > 0))
    .map(({ slot }) => ({
      name: slot,
      label: t`nginx of ${slot}`,
      registered: of(slot),
      value: nginx[slot] ?? of(slot)[0]?.path ?? null,
    }));
  const ofBuilds = builds.map((build) => ({
    name: build,
    label: t`Build ${build}`,
    registered: of(TARGET),
    value: nginx[build] ?? null,
  }));
  return [...ofSlots, ...ofBuilds].map(({ name, label, registered, value }) => (
    <Select
      key={label}
      label={label}
      data={registered.map(optionOf)}
      value={value}
      error={problems.get(`nginx.${name}`)}
      allowDeselect={false}
      placeholder={t`Choose an nginx`}
      onChange={(path) => path && setNginx(name, path)}
    />
  ));
}

import type { HostCaps } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { formatBytes, formatNumber } from '@/lib/format';

/** What the host's owner allows, as the agent read it; nobody can change it from here. */
export function OwnerPanel({ caps = {} }: { caps?: HostCaps }) {
  return (
    <Panel title="Owner's caps" note="Set by the host's owner in caps.toml, which the server cannot change.">
      <Facts
        rows={[
          ['Roles', caps.roles?.join(', ') || 'none'],
          ['Load may go to', targets(caps)],
          ['Connections of a trial', most(caps.max_connections, formatNumber)],
          ['Planned rate of a trial', most(caps.max_rate_per_s, (rate) => `${formatNumber(rate)} a second`)],
          ['Length of a trial', most(caps.max_trial_s, (seconds) => `${seconds} s`)],
          [
            'Memory of a trial',
            most(caps.max_memory_bytes, formatBytes, "three quarters of the host's memory"),
          ],
          ['Processes and threads of a trial', most(caps.max_processes, formatNumber, '8,192')],
          ['Files of a trial', most(caps.max_files_bytes, formatBytes, 'half of the free space')],
          ['Lua scripts', caps.allow_scripts ? 'allowed' : 'not allowed'],
          ['nginx without namespaces', caps.allow_unsandboxed_nginx ? 'allowed' : 'not allowed'],
          ['Modules by load_module', caps.nginx_modules?.join(', ') || 'none'],
          ['Perturbations of the whole host', caps.allow_pressure !== false ? 'allowed' : 'not allowed'],
        ]}
      />
    </Panel>
  );
}

function most(value: number | null | undefined, written: (value: number) => string, otherwise = 'no cap') {
  return value == null ? otherwise : `at most ${written(value)}`;
}

function targets(caps: HostCaps) {
  if (caps.allow_targets == null) return 'not known: update the agent';
  return ['itself', ...caps.allow_targets].join(', ');
}

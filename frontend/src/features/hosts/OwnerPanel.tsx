import { t } from '@lingui/core/macro';
import type { HostCaps } from '@/api/generated';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { formatBytes, formatNumber } from '@/lib/format';

/** What the host's owner allows, as the agent read it; nobody can change it from here. */
export function OwnerPanel({ caps = {} }: { caps?: HostCaps }) {
  return (
    <Panel
      title={t`Owner's caps`}
      note={t`Set by the host's owner in caps.toml, which the server cannot change.`}
    >
      <Facts
        rows={[
          [t`Roles`, caps.roles?.join(', ') || t`none`],
          [t`Load may go to`, targets(caps)],
          [t`Connections of a trial`, most(caps.max_connections, formatNumber)],
          [t`Planned rate of a trial`, most(caps.max_rate_per_s, perSecond)],
          [t`Length of a trial`, most(caps.max_trial_s, (seconds) => `${seconds} s`)],
          [
            t`Memory of a trial`,
            most(caps.max_memory_bytes, formatBytes, t`three quarters of the host's memory`),
          ],
          [t`Processes and threads of a trial`, most(caps.max_processes, formatNumber, '8,192')],
          [t`Files of a trial`, most(caps.max_files_bytes, formatBytes, t`half of the free space`)],
          [t`Lua scripts`, allowed(caps.allow_scripts)],
          [t`nginx without namespaces`, allowed(caps.allow_unsandboxed_nginx)],
          [t`Modules by load_module`, caps.nginx_modules?.join(', ') || t`none`],
          [t`Directives beyond the list`, beyond(caps)],
          [t`Code without the walls of a trial`, allowed(caps.allow_unsandboxed_code)],
          [t`Perturbations of the whole host`, allowed(caps.allow_pressure !== false)],
        ]}
      />
    </Panel>
  );
}

/** What it opens, in a line. */
function beyond({ allow_directives = [], code_files = [] }: HostCaps): string {
  if (allow_directives.length === 0) return t`none`;
  const names = allow_directives.join(', ');
  const files = code_files.join(', ') || t`none`;
  return t`${names}: whoever writes experiments uses them with any arguments, within the walls of a trial; code from files: ${files}`;
}

const allowed = (is: boolean | undefined) => (is ? t`allowed` : t`not allowed`);

function perSecond(rate: number): string {
  const number = formatNumber(rate);
  return t`${number} a second`;
}

function most(value: number | null | undefined, written: (value: number) => string, otherwise = t`no cap`) {
  if (value == null) return otherwise;
  const cap = written(value);
  return t`at most ${cap}`;
}

function targets(caps: HostCaps) {
  if (caps.allow_targets == null) return t`not known: update the agent`;
  return [t`itself`, ...caps.allow_targets].join(', ');
}

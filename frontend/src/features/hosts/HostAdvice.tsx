import { Alert } from '@mantine/core';
import type { HostDetail } from '@/api/generated';
import { isTrouble } from './health';

/** What somebody should do about this host: now where it takes no runs, at leisure where only its agent is older. */
export function HostAdvice({ host }: { host: HostDetail }) {
  if (isTrouble(host))
    return (
      <Alert
        role="alert"
        variant="light"
        color="red"
        title={host.state === 'conflict' ? 'Credential in use twice' : 'Upgrade needed'}
      >
        {host.state_detail}
      </Alert>
    );
  if (host.upgrade === null) return null;
  return (
    <Alert role="note" variant="light" color="gray" title="Upgrade available">
      {host.upgrade}
    </Alert>
  );
}

import { t } from '@lingui/core/macro';
import { Alert } from '@mantine/core';
import type { HostDetail } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { isTrouble } from './health';

/** What somebody should do about this host: now where it takes no runs, at leisure where only its agent is older. */
export function HostAdvice({ host }: { host: HostDetail }) {
  if (isTrouble(host))
    return (
      <Alert
        role="alert"
        variant="light"
        color="red"
        title={host.state === 'conflict' ? t`Credential in use twice` : t`Upgrade needed`}
      >
        <ServerText text={host.state_detail} />
      </Alert>
    );
  if (host.upgrade === null) return null;
  return (
    <Alert role="note" variant="light" color="gray" title={t`Upgrade available`}>
      <ServerText text={host.upgrade} />
    </Alert>
  );
}

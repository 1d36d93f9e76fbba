import { t } from '@lingui/core/macro';
import { SessionsPanel } from '@/components/access/SessionsPanel';
import { useEndOtherSessions } from './api/useEndOtherSessions';
import { useEndSession } from './api/useEndSession';
import { useSessions } from './api/useSessions';

export function SessionsTab() {
  const sessions = useSessions();
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
  return (
    <SessionsPanel
      sessions={sessions}
      note={t`Browsers that are signed in to your account. End what you do not recognise, and change your password.`}
      end={(id) => end.mutate(id)}
      endAll={{ label: t`End other sessions`, run: () => endOthers.mutate() }}
    />
  );
}

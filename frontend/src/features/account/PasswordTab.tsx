import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { PasswordForm } from '@/components/access/PasswordForm';
import { Panel } from '@/components/ui/Panel';

const sayChanged = () =>
  notifications.show({ message: t`Password changed. Your other sessions and your API tokens have ended.` });

export function PasswordTab() {
  return (
    <Panel title={t`Change password`} note={t`This ends your other sessions, and revokes your API tokens.`}>
      <PasswordForm current={t`Current password`} onChanged={sayChanged} />
    </Panel>
  );
}

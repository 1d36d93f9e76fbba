import { notifications } from '@mantine/notifications';
import { PasswordForm } from '@/components/access/PasswordForm';
import { Panel } from '@/components/ui/Panel';

const CHANGED = 'Password changed. Your other sessions and your API tokens have ended.';

export function PasswordTab() {
  return (
    <Panel title="Change password" note="This ends your other sessions, and revokes your API tokens.">
      <PasswordForm current="Current password" onChanged={() => notifications.show({ message: CHANGED })} />
    </Panel>
  );
}

import { t } from '@lingui/core/macro';
import type { AccountOut } from '@/api/generated';
import { StateText } from '@/components/ui/StateText';

/** Whether somebody can sign in, as a mark and words. */
export function AccountState({ account }: { account: AccountOut }) {
  if (account.disabled_at) return <StateText tone="danger">{t`deactivated`}</StateText>;
  if (account.must_change_password) return <StateText tone="waiting">{t`one-time password`}</StateText>;
  return <StateText tone="done">{t({ message: 'active', context: 'account' })}</StateText>;
}

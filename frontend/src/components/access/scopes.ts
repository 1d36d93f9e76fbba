import { t } from '@lingui/core/macro';
import type { TokenScope } from '@/api/generated';

/** What a token may do, in the order in which each includes the ones before it. */
export const scopeNames = (): Record<TokenScope, string> => ({
  read: t`Read`,
  operate: t`Operate`,
  administer: t`Administer`,
});

import type { TokenScope } from '@/api/generated';

/** What a token may do, in the order in which each includes the ones before it. */
export const SCOPE_NAMES: Record<TokenScope, string> = {
  read: 'Read',
  operate: 'Operate',
  administer: 'Administer',
};

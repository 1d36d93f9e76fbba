import type { ShareOut } from '@/api/generated';

/** Whether a link opens the report now. */
export const linkWorks = ({ revoked_at, expires_at }: ShareOut): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

import type { ShareOut } from '@/api/generated';

const THEN = '2026-01-02T03:04:05Z';

/** A link that works, and shows what its owner reads. */
export function aShare(changes: Partial<ShareOut> = {}): ShareOut {
  return {
    id: 'share-1',
    kind: 'report',
    label: null,
    opened: 0,
    last_opened_at: null,
    created_at: THEN,
    expires_at: null,
    revoked_at: null,
    works: true,
    by_token: null,
    as_of: THEN,
    is_outdated: false,
    ...changes,
  };
}

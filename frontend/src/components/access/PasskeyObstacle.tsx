import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OwnPasskeys } from '@/api/generated';
import { hasPasskeys } from '@/lib/passkeys';

function obstacleOf({ unavailable, origin }: OwnPasskeys): ReactNode {
  if (unavailable === 'address')
    return t`Browsers have passkeys only for an address with a name, and this installation’s is a number: ${origin}. An administrator can give it a name (NGXLAB_PUBLIC_URL).`;
  if (unavailable === 'insecure')
    return t`Browsers have passkeys only for an address with https, and this installation’s has none: ${origin}. An administrator can change it (NGXLAB_PUBLIC_URL).`;
  if (window.location.origin !== origin)
    return (
      <Trans>
        Passkeys belong to the address{' '}
        <Anchor href={`${origin}${window.location.pathname}${window.location.search}`} underline="always">
          {origin}
        </Anchor>
        . Open ngxlab there to add one.
      </Trans>
    );
  return hasPasskeys() ? null : t`This browser has no passkeys. Use a newer one.`;
}

/** Why no passkey can be added here; otherwise what is inside. */
export function WherePossible({ passkeys, children }: { passkeys: OwnPasskeys; children: ReactNode }) {
  const obstacle = obstacleOf(passkeys);
  return obstacle ? <Text size="sm">{obstacle}</Text> : children;
}

import { Stack } from '@mantine/core';
import { TokensPanel } from '@/components/access/TokensPanel';
import { useRevokeToken } from './api/useRevokeToken';
import { useRevokeTokens } from './api/useRevokeTokens';
import { useTokens } from './api/useTokens';
import { NewTokenForm } from './NewTokenForm';

export function TokensTab() {
  const tokens = useTokens();
  const revoke = useRevokeToken();
  const revokeAll = useRevokeTokens();
  return (
    <Stack gap="md">
      <NewTokenForm />
      <TokensPanel tokens={tokens} revoke={(id) => revoke.mutate(id)} revokeAll={() => revokeAll.mutate()} />
    </Stack>
  );
}

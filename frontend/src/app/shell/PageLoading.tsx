import { t } from '@lingui/core/macro';
import { Skeleton, Stack } from '@mantine/core';

export function PageLoading() {
  return (
    <Stack component="main" gap="md" p="lg" aria-busy="true" aria-label={t`Loading`}>
      <Skeleton height={24} width={220} />
      <Skeleton height={120} />
      <Skeleton height={240} />
    </Stack>
  );
}

import { t } from '@lingui/core/macro';
import { Skeleton, Stack } from '@mantine/core';
import { Logo } from '@/components/Logo';

export function PageLoading() {
  return (
    <Stack component="main" gap="md" p="lg" aria-busy="true">
      <h1 className="visually-hidden">{t`Loading`}</h1>
      <Logo />
      <Skeleton height={120} />
      <Skeleton height={240} />
    </Stack>
  );
}

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Skeleton } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconShare3 } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useHasRole } from '@/api/session';
import type { ShareSubject } from '@/api/shares';
import { lazyPart } from '@/components/ui/lazyPart';

const ShareDialog = lazyPart(() => import('./ShareDialog').then(({ ShareDialog }) => ShareDialog));

export function ShareButton({ subject }: { subject: ShareSubject }) {
  const mayShare = useHasRole('experimenter');
  if (!mayShare) return null;
  const { name } = subject;
  const open = () =>
    modals.open({
      title: t`Share ${name}`,
      size: 'lg',
      children: (
        <Suspense fallback={<Skeleton height={160} />}>
          <ShareDialog subject={subject} />
        </Suspense>
      ),
    });
  return (
    <Button leftSection={<IconShare3 size={14} />} onClick={open}>
      <Trans>Share</Trans>
    </Button>
  );
}

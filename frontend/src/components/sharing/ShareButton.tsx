import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconShare3 } from '@tabler/icons-react';
import type { ShareSubject } from '@/api/sharing/subjects';
import { useHasRole } from '@/api/useMe';
import { ShareDialog } from './ShareDialog';

/** Opens the links that show something; for those who may make some. */
export function ShareButton({ subject }: { subject: ShareSubject }) {
  const mayShare = useHasRole('experimenter');
  if (!mayShare) return null;
  const open = () =>
    modals.open({
      title: `Share ${subject.name}`,
      size: 'lg',
      children: <ShareDialog subject={subject} />,
    });
  return (
    <Button leftSection={<IconShare3 size={14} />} onClick={open}>
      Share
    </Button>
  );
}

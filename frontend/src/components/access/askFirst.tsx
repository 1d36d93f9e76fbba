import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

interface Question {
  title: string;
  /** The consequences. */
  text: string;
  confirm: string;
  onConfirm: () => void;
}

/** Ask before something ends that cannot be brought back. */
export function askFirst({ title, text, confirm, onConfirm }: Question): void {
  modals.openConfirmModal({
    title: <span style={{ overflowWrap: 'anywhere' }}>{title}</span>,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm, cancel: t`Cancel` },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}

import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

export interface Question {
  title: string;
  text: ReactNode;
  confirm: string;
  cancel?: string;
  isHarmless?: boolean;
  onConfirm: () => void;
}

/** Asks before something ends that cannot be brought back. */
export function askFirst(question: Question): void {
  const { title, text, confirm, cancel = t`Cancel`, isHarmless = false, onConfirm } = question;
  modals.openConfirmModal({
    title: <span style={{ overflowWrap: 'anywhere' }}>{title}</span>,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm, cancel },
    confirmProps: isHarmless ? {} : { color: 'red' },
    onConfirm,
  });
}

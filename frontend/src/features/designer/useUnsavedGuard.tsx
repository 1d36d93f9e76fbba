import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import type { DesignerStore } from './model/store';

/** State of a navigation that goes on with the same draft under another address. */
export const KEEPS_DRAFT = { keepsDraft: true };

const keepsDraft = (state: unknown) => (state as typeof KEEPS_DRAFT | null)?.keepsDraft === true;

/** Ask before unsaved changes are left behind, inside the app and when the tab is closed. */
export function useUnsavedGuard(store: DesignerStore): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      store.isDirty() &&
      currentLocation.pathname !== nextLocation.pathname &&
      !keepsDraft(nextLocation.state),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    modals.openConfirmModal({
      title: t`Leave without saving?`,
      children: (
        <Text size="sm">{t`The draft is kept in this tab until you close it. Nobody else can see it.`}</Text>
      ),
      labels: { confirm: t`Leave`, cancel: t`Stay` },
      onConfirm: () => blocker.proceed(),
      onCancel: () => blocker.reset(),
      onClose: () => blocker.state === 'blocked' && blocker.reset(),
    });
  }, [blocker]);
  useWindowEvent('beforeunload', (event) => {
    if (store.isDirty()) event.preventDefault();
  });
}

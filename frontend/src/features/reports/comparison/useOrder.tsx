import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useSearchState } from '@/lib/useAddress';

/** Whether what changed stands first, which a link keeps, and the button that changes it. */
export function useOrder(): { isChangedFirst: boolean; button: React.ReactNode } {
  const [order, setOrder] = useSearchState('order', 'changed');
  const isChangedFirst = order !== 'usual';
  const button = (
    <Button
      className="no-print"
      size="compact-xs"
      variant="default"
      onClick={() => setOrder(isChangedFirst ? 'usual' : 'changed')}
    >
      {isChangedFirst ? t`In the usual order` : t`What changed first`}
    </Button>
  );
  return { isChangedFirst, button };
}

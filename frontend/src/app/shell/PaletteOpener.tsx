import { t } from '@lingui/core/macro';
import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '@/components/ui/lazyPart';
import { loadTexts } from '@/lib/language/texts';
import classes from './shell.module.css';

/** Its code and texts come when it is first asked for. */
const Palette = lazyPart(async () => {
  const texts = loadTexts('shared', 'server/results', 'server/forms', 'palette');
  const [{ Palette }] = await Promise.all([import('@/features/palette/Palette'), texts]);
  return Palette;
});

/** Ctrl-K or Cmd-K, wherever the cursor is. */
export function usePalette() {
  const [asked, setAsked] = useState(0);
  const open = () => setAsked((times) => times + 1);
  useHotkeys([['mod+K', open]], [], true);
  return {
    open,
    palette: <Suspense fallback={null}>{asked > 0 && <Palette asked={asked} />}</Suspense>,
  };
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform);

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  return (
    <UnstyledButton className={classes.find} onClick={onOpen} aria-label={t`Find or do`}>
      <IconSearch size={15} stroke={1.6} aria-hidden />
      <span>{t`Find or do`}</span>
      <Kbd size="xs">{isApple() ? '⌘K' : 'Ctrl K'}</Kbd>
    </UnstyledButton>
  );
}

/** In the bar of narrow screens. */
export function PaletteIcon({ onOpen }: { onOpen: () => void }) {
  return (
    <ActionIcon size="md" ml="auto" aria-label={t`Find or do`} onClick={onOpen}>
      <IconSearch size={18} />
    </ActionIcon>
  );
}

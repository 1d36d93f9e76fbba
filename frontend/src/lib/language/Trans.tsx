import { i18n } from '@lingui/core';
import { TransNoContext } from '@lingui/react/server';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<typeof TransNoContext>, 'lingui'>;

const LINGUI = { i18n };

/** What `<Trans>` of `@lingui/react/macro` becomes (`lingui.config.ts`): a sentence with elements inside. */
export function Trans(props: Props) {
  return <TransNoContext {...(props as ComponentProps<typeof TransNoContext>)} lingui={LINGUI} />;
}

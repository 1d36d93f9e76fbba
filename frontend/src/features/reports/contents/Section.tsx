import type { ComponentProps } from 'react';
import { CopyLink } from '@/components/ui/CopyLink';
import { Panel } from '@/components/ui/Panel';

import { useListed } from './sections';

interface Props extends Omit<ComponentProps<typeof Panel>, 'beside'> {
  /** The same in every language, for links to it. */
  id: string;
  title: string;
}

/** A part of the report with an address of its own, listed in the contents. */
export function Section({ id, title, ...panel }: Props) {
  useListed(id, title);
  return <Panel {...panel} id={id} title={title} beside={<CopyLink id={id} title={title} />} />;
}

import type { ComponentProps } from 'react';
import { CopyLink } from '@/components/ui/CopyLink';
import { Panel } from '@/components/ui/Panel';
import { slug } from '@/lib/slug';
import { useListed } from './sections';

type Props = Omit<ComponentProps<typeof Panel>, 'id' | 'beside' | 'title'> & { title: string };

/** A part of the report with an address of its own, listed in the contents. */
export function Section({ title, ...panel }: Props) {
  const id = slug(title);
  useListed(id, title);
  return <Panel {...panel} id={id} title={title} beside={<CopyLink id={id} title={title} />} />;
}

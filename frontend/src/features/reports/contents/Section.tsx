import { type ComponentProps, createContext, useCallback, useContext, useEffect, useState } from 'react';
import { CopyLink } from '@/components/ui/CopyLink';
import { Panel } from '@/components/ui/Panel';

/** A part of the report that the contents lead to. */
export interface SectionEntry {
  id: string;
  title: string;
}

type Add = (entry: SectionEntry) => () => void;

/** Outside of a report, nobody lists sections. */
export const AddSection = createContext<Add>(() => () => undefined);

function placeOf({ id }: SectionEntry, other: SectionEntry): number {
  const [own, others] = [document.getElementById(id), document.getElementById(other.id)];
  if (!own || !others) return 0;
  return own.compareDocumentPosition(others) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** The sections that are shown, from top to bottom, and how one joins them. */
export function useSections(): [sections: readonly SectionEntry[], add: Add] {
  const [sections, setSections] = useState<readonly SectionEntry[]>([]);
  const add = useCallback((entry: SectionEntry) => {
    setSections((all) => [...all, entry].sort(placeOf));
    return () => setSections((all) => all.filter((one) => one !== entry));
  }, []);
  return [sections, add];
}

/** List the element with this id while it is shown. */
export function useListed(id: string, title: string): void {
  const add = useContext(AddSection);
  useEffect(() => add({ id, title }), [add, id, title]);
}

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

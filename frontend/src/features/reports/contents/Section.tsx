import {
  type ComponentProps,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
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

/** Which sections that can be folded are open. */
export interface Folds {
  isOpen: (id: string) => boolean;
  setOpen: (id: string, isOpen: boolean) => void;
}

export const FoldsOfReport = createContext<Folds | undefined>(undefined);

/** Sections within begin closed: their titles are an index of what else there is. */
export const Folded = createContext(false);

interface Known {
  all: boolean;
  /** Those that are not as all are. */
  others: ReadonlySet<string>;
}

function withFold({ all, others }: Known, id: string, isOpen: boolean): Known {
  const next = new Set(others);
  if (isOpen === all) next.delete(id);
  else next.add(id);
  return { all, others: next };
}

/** Open and closed sections. All are open on paper, and while the page is got ready for it. */
export function useFolds(): Folds & { areAllOpen: boolean; setAll: (isOpen: boolean) => void } {
  const [{ all, others }, setKnown] = useState<Known>({ all: false, others: new Set() });
  const setAll = useCallback(
    (isOpen: boolean) =>
      // Without a change nothing is drawn anew, or a page that is got ready would never come to its end.
      setKnown((known) =>
        known.all === isOpen && known.others.size === 0 ? known : { all: isOpen, others: new Set() },
      ),
    [],
  );
  const setOpen = useCallback(
    (id: string, isOpen: boolean) =>
      setKnown((known) =>
        known.others.has(id) === (isOpen !== known.all) ? known : withFold(known, id, isOpen),
      ),
    [],
  );
  useEffect(() => {
    const open = () => flushSync(() => setAll(true));
    window.addEventListener('beforeprint', open);
    return () => window.removeEventListener('beforeprint', open);
  }, [setAll]);
  return useMemo(
    () => ({
      isOpen: (id) => others.has(id) !== all,
      setOpen,
      areAllOpen: all && others.size === 0,
      setAll,
    }),
    [all, others, setAll, setOpen],
  );
}

interface Props extends Omit<ComponentProps<typeof Panel>, 'beside' | 'fold'> {
  /** The same in every language, for links to it. */
  id: string;
  title: string;
}

/** A part of the report with an address of its own, listed in the contents. */
export function Section({ id, title, ...panel }: Props) {
  useListed(id, title);
  const folds = useContext(FoldsOfReport);
  const isFolded = useContext(Folded) && folds !== undefined;
  const fold = isFolded
    ? { isOpen: folds.isOpen(id), onChange: (isOpen: boolean) => folds.setOpen(id, isOpen) }
    : undefined;
  return <Panel {...panel} id={id} title={title} beside={<CopyLink id={id} title={title} />} fold={fold} />;
}

import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Definition, DesignPlan, PrimaryPreview } from '@/api/generated';
import type { FieldRegistry } from './fieldRegistry';
import type { Draft } from './model/draft/draft';
import { valueAt } from './model/paths';
import type { AssignedProblem } from './model/problems';
import type { DesignerStore } from './model/store';

interface Designer {
  store: DesignerStore;
  fields: FieldRegistry;
}

export const DesignerContext = createContext<Designer | null>(null);
export const ProblemsContext = createContext<ReadonlyMap<string, readonly AssignedProblem[]>>(new Map());

/** What may be a primary metric, and what arms differ in, by the newest sound preview. */
export const PrimaryContext = createContext<PrimaryPreview | null>(null);

/** The newest draft without problems, and the experiment whose next version it would be. */
export interface Sound {
  definition: Definition;
  plan: DesignPlan;
  experimentId: string | null;
}
export const SoundContext = createContext<Sound | null>(null);

const NONE: readonly AssignedProblem[] = [];

export function useDesigner(): Designer {
  const designer = useContext(DesignerContext);
  if (!designer) throw new Error('This belongs inside a designer.');
  return designer;
}

export function useStore(): DesignerStore {
  return useDesigner().store;
}

/** A part of the draft; the component renders again only when that part is another. */
export function useDraft<T>(select: (draft: Draft) => T): T {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => select(store.draft));
}

/** The value at a path. The caller knows what is there. */
export function useValue<T>(path: string): T {
  return useDraft((draft) => valueAt(draft, path)) as T;
}

/** Announce a field that can show problems, and what is wrong there now. */
export function useField(path: string, label: string): readonly AssignedProblem[] {
  const { fields } = useDesigner();
  useEffect(() => fields.register(path, label), [fields, path, label]);
  return useContext(ProblemsContext).get(path) ?? NONE;
}

/** Problems as the line below a field; those of a text's lines are shown at the lines. */
export function textOfProblems(problems: readonly AssignedProblem[]): string | null {
  return problems.map(({ message }) => message).join('; ') || null;
}

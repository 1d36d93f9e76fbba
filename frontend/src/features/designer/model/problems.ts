import { msg, t } from '@lingui/core/macro';
import type { DefinitionProblem } from '@/api/generated';
import type { Draft } from './draft/draft';
import type { Pair } from './draft/values';
import { isWithin } from './paths';
import { isAsked, isServed, levelTexts, servesFiles } from './served';

/** Something wrong at a field. `source` names the host whose nginx said so; null for the definition itself. */
export interface Problem extends DefinitionProblem {
  source: string | null;
  /** That of the message, where it is not the page's. */
  lang?: 'en' | undefined;
}

export interface AssignedProblem extends Problem {
  /** The field of the form that shows it; null where the form has none. */
  owner: string | null;
}

/** Each problem at its own field, or at the nearest one around it that the form has. */
export function assign(problems: readonly Problem[], fields: ReadonlySet<string>): AssignedProblem[] {
  return problems.map((problem) => {
    let owner = problem.field;
    while (owner !== '' && !fields.has(owner)) owner = owner.slice(0, Math.max(0, owner.lastIndexOf('.')));
    return { ...problem, owner: owner || null };
  });
}

export function byOwner(problems: readonly AssignedProblem[]): Map<string, AssignedProblem[]> {
  const found = new Map<string, AssignedProblem[]>();
  for (const problem of problems) {
    if (problem.owner === null) continue;
    found.set(problem.owner, [...(found.get(problem.owner) ?? []), problem]);
  }
  return found;
}

export function problem(field: string, message: string): Problem {
  return { field, message, line: null, arms: [], source: null };
}

function twice(path: string, items: readonly Pair[]): Problem[] {
  const names = items.map(({ name }) => name);
  return [...new Set(names)]
    .filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
    .map((name) => problem(`${path}.${name}`, name ? t`${name} occurs twice` : t`needs a name`));
}

/** What the backend cannot see: an object has no two equal names, and a definition no name of its own. */
export function localProblems(draft: Draft): Problem[] {
  const found = draft.name.trim() === '' ? [problem('name', t`Give the experiment a name`)] : [];
  draft.factors.forEach((factor, i) => {
    factor.levels.forEach((level, j) => {
      found.push(...twice(`factors.${i}.levels.${j}.variables`, level.variables));
    });
  });
  draft.streams.forEach((stream, i) => {
    found.push(...twice(`streams.${i}.headers`, stream.headers));
  });
  return found;
}

/**
 * What can be run, but may not be what is meant, as far as the form sees it. Where other paths are served from files, a set
 * that nobody asks for may be meant for them.
 */
export function localWarnings(draft: Draft): Problem[] {
  const [{ nginx }, levels] = [draft, levelTexts(draft)];
  return nginx.files.flatMap(({ folder }, index) =>
    folder === '' || isServed(nginx, folder, levels) || (servesFiles(nginx) && !isAsked(draft, folder))
      ? []
      : [
          problem(
            `nginx.files.${index}`,
            t`no location serves the files of ${folder}: requests for /${folder}/0 find nothing`,
          ),
        ],
  );
}

/** The sections of the page and the fields in each. */
export const SECTIONS = [
  { id: 'question', title: msg`Question`, fields: ['name', 'question', 'template', 'schema_version'] },
  { id: 'factors', title: msg`Factors`, fields: ['factors'] },
  { id: 'arms', title: msg`Arms`, fields: ['design', 'baseline'] },
  { id: 'nginx', title: msg`nginx`, fields: ['nginx'] },
  { id: 'upstream_servers', title: msg`Upstream servers`, fields: ['upstream_servers'] },
  { id: 'load', title: msg({ message: 'Load', context: 'traffic' }), fields: ['streams'] },
  { id: 'perturbations', title: msg`Perturbations`, fields: ['perturbations'] },
  { id: 'verdict', title: msg`Verdict`, fields: ['plan.primary', 'thresholds'] },
  { id: 'plan', title: msg`Plan`, fields: ['plan', 'placement', 'profile'] },
] as const;

export function sectionOf(field: string): (typeof SECTIONS)[number] | undefined {
  return SECTIONS.find(({ fields }) => fields.some((owner) => isWithin(field, owner)));
}

import type { Definition, RecipeDetail } from '@/api/generated';
import { english, type Said, said } from '@/lib/language/serverText';

/** In the reader's language: `words` have values; other texts are fixed ones, or names. */
export function sayer(words: readonly Said[]): (text: string) => string {
  const known = new Map(words.map((one) => [english(one), said(one)]));
  return (text) => known.get(text) ?? said(text);
}

/**
 * A definition that the server made, with its question and its labels in the reader's language, since they are the
 * experiment's own words from then on. `words`: those of them that have values; others are fixed texts or names.
 */
export function worded(definition: Definition, words: readonly Said[] = []): Definition {
  const say = sayer(words);
  const labelled = <T extends { label: string }>(one: T): T => ({ ...one, label: say(one.label) });
  const { design, factors } = definition;
  return {
    ...definition,
    question: say(definition.question),
    factors: factors.map((factor) => ({ ...labelled(factor), levels: factor.levels.map(labelled) })),
    ...(design?.kind === 'chosen' ? { design: { ...design, arms: design.arms.map(labelled) } } : {}),
  };
}

/** A recipe with the labels of its arms in the reader's language. */
export function wordedRecipe(recipe: RecipeDetail): RecipeDetail {
  const labelled = <T extends { label: string }>(one: T): T => ({ ...one, label: said(one.label) });
  return {
    ...recipe,
    arms: recipe.arms.map(labelled),
    previews: recipe.previews.map(labelled),
    definition: worded(recipe.definition),
  };
}

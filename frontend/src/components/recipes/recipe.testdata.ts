import type { RecipeDetail, RecipeSummary } from '@/api/generated';
import { aDefinition, someArms } from '@/test/fixtures';

/** A question about gzip, which one host can answer and which was recorded once. */
export function aRecipe(changes: Partial<RecipeSummary> = {}): RecipeSummary {
  return {
    key: 'gzip-levels',
    title: 'gzip levels',
    question: 'What does gzip cost?',
    expectation: 'Pages are smaller.',
    kind: 'compression',
    words: ['traffic'],
    source: { title: 'An article', url: 'https://example.org/gzip' },
    duration_s: 100,
    arms: [
      { key: 'mutex-on', label: 'off' },
      { key: 'mutex-off', label: 'level 6' },
    ],
    outcome: { arm: 'mutex-off', against: 'mutex-on', metric: 'response_bytes', sign: 'lower' },
    metric_title: 'Size of a response',
    unit: 'bytes',
    shown: {
      recorded_on: '2026-11-27',
      nginx: '1.22.1',
      cpus: 2,
      values: { 'mutex-on': 30720, 'mutex-off': 10240 },
      text: '−67 %',
      interval: '−68 % to −66 %',
      holds: true,
      took_s: 120,
    },
    needs: [],
    hosts: [{ host_id: 'host-1', host: 'bench', fits: true, lacks: [] }],
    ...changes,
  };
}

export const LUA = {
  slot: 'target',
  what: 'an nginx with http_lua_module',
  why: 'It answers late.',
  must: true,
  host: 'bench',
  ok: false,
  detail: 'nginx 1.22.1 lacks it',
  remedy: 'Install it.',
};

export function aRecipeDetail(changes: Partial<RecipeDetail> = {}): RecipeDetail {
  return {
    ...aRecipe(),
    previews: someArms(),
    plan: {
      blocks: 5,
      arms: 2,
      trials: 10,
      heat_trials: 0,
      block_arms: 2,
      full_trials: 10,
      full_s: 100,
      warmup_s: 1,
      measure_s: 4,
      cooldown_s: 0,
      total_s: 100,
    },
    slots: ['target', 'generator'],
    definition: aDefinition(),
    yaml: 'name: gzip levels\n',
    ...changes,
  };
}

import type { NeedInfo, Preview, TemplateDetail, TemplateSummary } from '@/api/generated';
import { someArms } from '@/test/fixtures';

/** A template with one parameter and two presets. */
export function aTemplate(changes: Partial<TemplateDetail> = {}): TemplateDetail {
  return {
    key: 'reuseport',
    title: 'Socket sharding',
    summary: 'Three ways to share connections.',
    question: 'Does `reuseport` serve more requests?',
    mechanism: 'Every worker has a socket of its own.',
    source: { title: 'An article', url: null, published: '2015-05-26' },
    parameters: [
      {
        name: 'connections',
        section: 'Load',
        label: 'Connections',
        help: '',
        kind: 'integer',
        default: 100,
        minimum: 2,
        maximum: 500,
      },
    ],
    charts: [],
    needs: [],
    presets: [
      { key: 'usual', label: 'Usual', help: 'As published.', values: {} },
      { key: 'small', label: 'Small', help: 'A small one.', values: { connections: 10 } },
    ],
    ...changes,
  };
}

export function aTemplateSummary(changes: Partial<TemplateSummary> = {}): TemplateSummary {
  const { key, title, summary, question, source } = aTemplate();
  return { key, title, summary, question, source, ...changes };
}

export const CPUS: NeedInfo = { slot: 'target', what: '4 CPUs or more', why: 'Else they share.', must: true };

/** What acceptable values of the template would run. */
export function aPreview(changes: Partial<Preview> = {}): Preview {
  return {
    arms: someArms(),
    baseline: 'mutex-on',
    plan: {
      blocks: 2,
      arms: 2,
      trials: 4,
      heat_trials: 0,
      block_arms: 2,
      full_trials: 4,
      full_s: 44,
      warmup_s: 1,
      measure_s: 10,
      cooldown_s: 0,
      total_s: 44,
    },
    slots: ['target', 'generator'],
    needs: [CPUS],
    problems: [],
    ...changes,
  };
}

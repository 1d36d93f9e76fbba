import { describe, expect, it } from 'vitest';
import type { Parameter } from '@/api/generated';
import { formSchema, initialValues, limitsOf, sectionsOf } from './parameters';

const parameter = (given: Partial<Parameter> & Pick<Parameter, 'name' | 'kind' | 'default'>): Parameter => ({
  section: 'Plan',
  label: given.name,
  help: '',
  ...given,
});
const workers = parameter({
  name: 'workers',
  kind: 'integer',
  default: 4,
  minimum: 2,
  maximum: 64,
  section: 'nginx',
});
const warmup = parameter({ name: 'warmup_s', kind: 'number', default: 2, minimum: 0, unit: 's' });
const mode = parameter({
  name: 'mode',
  kind: 'choice',
  default: 'keep-alive',
  choices: [
    { value: 'keep-alive', label: 'kept alive' },
    { value: 'close', label: 'closed' },
  ],
});
const template = [workers, warmup, mode];

function problemsOf(values: Record<string, unknown>): Record<string, string> {
  const form = { name: 'A name', note: '', parameters: { ...initialValues(template), ...values } };
  const result = formSchema(template).safeParse(form);
  return Object.fromEntries(result.error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? []);
}

describe('formSchema', () => {
  it('accepts the defaults', () => expect(problemsOf({})).toEqual({}));

  it('names the limit that was missed, with its unit', () => {
    expect(problemsOf({ workers: 1 })).toEqual({ 'parameters.workers': 'At least 2' });
    expect(problemsOf({ workers: 65 })).toEqual({ 'parameters.workers': 'At most 64' });
    expect(problemsOf({ warmup_s: -1 })).toEqual({ 'parameters.warmup_s': 'At least 0 s' });
  });

  it('wants whole numbers only where they are meant', () => {
    expect(problemsOf({ workers: 2.5 })).toEqual({ 'parameters.workers': 'Enter a whole number' });
    expect(problemsOf({ warmup_s: 2.5 })).toEqual({});
  });

  it('refuses an emptied number field and an unknown choice', () => {
    expect(problemsOf({ workers: '' })).toEqual({ 'parameters.workers': 'Enter a number' });
    expect(problemsOf({ mode: 'sometimes' })).toEqual({ 'parameters.mode': 'Choose a value from the list' });
  });
});

describe('the form around it', () => {
  it('prefers given values to a preset, and a preset to the defaults', () => {
    const preset = { key: 'p', label: '', help: '', values: { workers: 8, warmup_s: 1 } };
    expect(initialValues(template, preset, { workers: 16 })).toEqual({
      workers: 16,
      warmup_s: 1,
      mode: 'keep-alive',
    });
  });

  it('keeps sections and parameters in the order of the template', () => {
    expect(sectionsOf(template).map(([section, fields]) => [section, fields.length])).toEqual([
      ['nginx', 1],
      ['Plan', 2],
    ]);
  });

  it('states limits in words', () => {
    expect(limitsOf(workers)).toBe('2 to 64');
    expect(limitsOf(warmup)).toBe('at least 0 s');
    expect(limitsOf(mode)).toBeNull();
  });
});

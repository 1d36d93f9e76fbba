import type { Parameter, Preset } from '@/api/generated';
import { z } from '@/lib/zod';

export type ParameterValue = string | number | boolean;
export type ParameterValues = Record<string, ParameterValue>;

const LISTED_NUMBERS = /^\s*\d+(\.\d+)?\s*(,\s*\d+(\.\d+)?\s*)*$/;

const withUnit = (value: number, unit: string | null | undefined) => (unit ? `${value} ${unit}` : `${value}`);

function numberSchema({ kind, minimum, maximum, unit }: Parameter) {
  const checks = [
    ...(kind === 'integer' ? [z.refine<number>(Number.isInteger, 'Enter a whole number')] : []),
    ...(minimum != null ? [z.minimum(minimum, `At least ${withUnit(minimum, unit)}`)] : []),
    ...(maximum != null ? [z.maximum(maximum, `At most ${withUnit(maximum, unit)}`)] : []),
  ];
  return z.number({ error: 'Enter a number' }).check(...checks);
}

function schemaOf(parameter: Parameter): z.ZodMiniType<ParameterValue, ParameterValue> {
  type Schema = z.ZodMiniType<ParameterValue, ParameterValue>;
  if (parameter.kind === 'boolean') return z.boolean() as Schema;
  if (parameter.kind === 'choice') {
    const allowed = (parameter.choices ?? []).map((choice) => choice.value);
    const isAllowed = z.refine<string>((value) => allowed.includes(value), 'Choose a value from the list');
    return z.string().check(isAllowed) as unknown as Schema;
  }
  if (parameter.kind === 'integers' || parameter.kind === 'numbers') {
    const words = 'Enter numbers separated by commas, such as 30, 150, 300';
    return z.string().check(z.regex(LISTED_NUMBERS, words)) as unknown as Schema;
  }
  return numberSchema(parameter) as unknown as Schema;
}

/** The form's schema, from the template's own metadata. The backend checks again, and what lies between fields. */
export function formSchema(parameters: readonly Parameter[]) {
  const name = [
    z.trim(),
    z.minLength(1, 'Give the experiment a name'),
    z.maxLength(120, 'At most 120 characters'),
  ];
  return z.object({
    name: z.string().check(...name),
    note: z.string().check(z.trim(), z.maxLength(500, 'At most 500 characters')),
    parameters: z.object(
      Object.fromEntries(parameters.map((parameter) => [parameter.name, schemaOf(parameter)])),
    ),
  });
}

export interface FormValues {
  name: string;
  note: string;
  parameters: ParameterValues;
}

/** Every parameter's value: what is given, else the preset's, else the default. */
export function initialValues(
  parameters: readonly Parameter[],
  preset?: Preset,
  given: ParameterValues = {},
): ParameterValues {
  return Object.fromEntries(
    parameters.map(({ name, default: fallback }) => [name, given[name] ?? preset?.values[name] ?? fallback]),
  );
}

/** Parameters by section, both in the template's order. */
export function sectionsOf(parameters: readonly Parameter[]): [section: string, parameters: Parameter[]][] {
  const sections = new Map<string, Parameter[]>();
  for (const parameter of parameters) {
    const known = sections.get(parameter.section);
    if (known) known.push(parameter);
    else sections.set(parameter.section, [parameter]);
  }
  return [...sections];
}

/** "2 to 64", "at least 1 s", for a field's help. */
export function limitsOf({ minimum, maximum, unit }: Parameter): string | null {
  if (minimum != null && maximum != null) return `${minimum} to ${withUnit(maximum, unit)}`;
  if (minimum != null) return `at least ${withUnit(minimum, unit)}`;
  if (maximum != null) return `at most ${withUnit(maximum, unit)}`;
  return null;
}

import { t } from '@lingui/core/macro';
import type { Parameter, Preset } from '@/api/generated';
import { z } from '@/lib/zod';

export type ParameterValue = string | number | boolean;
export type ParameterValues = Record<string, ParameterValue>;

const LISTED_NUMBERS = /^\s*\d+(\.\d+)?\s*(,\s*\d+(\.\d+)?\s*)*$/;

const withUnit = (value: number, unit: string | null | undefined) => (unit ? `${value} ${unit}` : `${value}`);

const atLeast = (low: string) => t`At least ${low}`;
const atMost = (high: string) => t`At most ${high}`;

function numberSchema({ kind, minimum, maximum, unit }: Parameter) {
  const checks = [
    ...(kind === 'integer' ? [z.refine<number>(Number.isInteger, t`Enter a whole number`)] : []),
    ...(minimum != null ? [z.minimum(minimum, atLeast(withUnit(minimum, unit)))] : []),
    ...(maximum != null ? [z.maximum(maximum, atMost(withUnit(maximum, unit)))] : []),
  ];
  return z.number({ error: t`Enter a number` }).check(...checks);
}

function schemaOf(parameter: Parameter) {
  switch (parameter.kind) {
    case 'boolean':
      return z.boolean();
    case 'choice': {
      const allowed = (parameter.choices ?? []).map(({ value }) => value);
      return z.enum(allowed, t`Choose a value from the list`);
    }
    case 'integers':
    case 'numbers': {
      const words = t`Enter numbers separated by commas, such as 30, 150, 300`;
      return z.string().check(z.regex(LISTED_NUMBERS, words));
    }
    default:
      return numberSchema(parameter);
  }
}

const longest = (length: number) => t`At most ${length} characters`;

/** The form's schema, from the template's own metadata. The backend checks again, and what lies between fields. */
export function formSchema(parameters: readonly Parameter[]) {
  const name = [z.trim(), z.minLength(1, t`Give the experiment a name`), z.maxLength(120, longest(120))];
  return z.object({
    name: z.string().check(...name),
    note: z.string().check(z.trim(), z.maxLength(500, longest(500))),
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
  const low = minimum == null ? null : withUnit(minimum, maximum == null ? unit : null);
  const high = maximum == null ? null : withUnit(maximum, unit);
  if (low && high) return t`${low} to ${high}`;
  if (low) return t`at least ${low}`;
  return high && t`at most ${high}`;
}

import type { Parameter, Preset } from '@/api/generated';
import { z } from '@/lib/zod';

export type ParameterValue = string | number | boolean;
export type ParameterValues = Record<string, ParameterValue>;

const LISTED_NUMBERS = /^\s*\d+(\.\d+)?\s*(,\s*\d+(\.\d+)?\s*)*$/;

const withUnit = (value: number, unit: string | null | undefined) => (unit ? `${value} ${unit}` : `${value}`);

function numberSchema({ kind, minimum, maximum, unit }: Parameter): z.ZodType<number, number> {
  let schema = z.number({ error: 'Enter a number' });
  if (kind === 'integer') schema = schema.int('Enter a whole number');
  if (minimum != null) schema = schema.min(minimum, `At least ${withUnit(minimum, unit)}`);
  if (maximum != null) schema = schema.max(maximum, `At most ${withUnit(maximum, unit)}`);
  return schema;
}

function schemaOf(parameter: Parameter): z.ZodType<ParameterValue, ParameterValue> {
  if (parameter.kind === 'boolean') return z.boolean() as z.ZodType<ParameterValue, ParameterValue>;
  if (parameter.kind === 'choice') {
    const allowed = (parameter.choices ?? []).map((choice) => choice.value);
    return z.string().refine((value) => allowed.includes(value), 'Choose a value from the list') as z.ZodType<
      ParameterValue,
      ParameterValue
    >;
  }
  if (parameter.kind === 'integers' || parameter.kind === 'numbers')
    return z
      .string()
      .regex(
        LISTED_NUMBERS,
        'Enter numbers separated by commas, such as 30, 150, 300',
      ) as unknown as z.ZodType<ParameterValue, ParameterValue>;
  return numberSchema(parameter) as z.ZodType<ParameterValue, ParameterValue>;
}

/** The form's schema, from the template's own metadata. The backend checks again, and what lies between fields. */
export function formSchema(parameters: readonly Parameter[]) {
  return z.object({
    name: z.string().trim().min(1, 'Give the experiment a name').max(120, 'At most 120 characters'),
    note: z.string().trim().max(500, 'At most 500 characters'),
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

import { zodResolver } from '@hookform/resolvers/zod';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import type { TemplateDetail } from '@/api/generated';
import { said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import { type FormValues, formSchema, initialValues, type ParameterValues } from './parameters';

export interface Start {
  template: TemplateDetail;
  /** Values of an experiment that this one is made after; they stand instead of a preset's. */
  given?: ParameterValues;
  givenName?: string;
}

/** The form of a template's parameters; the preset it was filled from is kept in the address. */
export function useTemplateForm({ template, given, givenName }: Start) {
  const { parameters, presets } = template;
  const [presetKey, setPreset] = useSearchState('preset', given ? '' : (presets[0]?.key ?? ''));
  const presetOf = (key: string) => presets.find((candidate) => candidate.key === key);
  const schema = useMemo(() => formSchema(parameters), [parameters]);
  const form = useForm<FormValues>({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: {
      name: givenName ?? said(template.title),
      note: '',
      parameters: initialValues(parameters, presetOf(presetKey), given),
    },
  });
  function applyPreset(key: string) {
    setPreset(key);
    const values = initialValues(parameters, presetOf(key));
    form.setValue('parameters', values, { shouldValidate: true, shouldDirty: true });
  }
  return { form, schema, presetKey, applyPreset };
}

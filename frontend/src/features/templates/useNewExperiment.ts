import { zodResolver } from '@hookform/resolvers/zod';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useMemo, useState } from 'react';
import { type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { unwrap } from '@/api/client';
import { useCreateExperiment } from '@/api/experiments';
import { type FitRequest, fitTemplate, previewTemplate, type TemplateDetail } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { useStartRun } from '@/api/runs';
import { useHostChoice, type Where } from '@/components/hosts/useHostChoice';
import { slotsByName, TARGET } from '@/domain/slots';
import { showProblems } from '@/lib/forms';
import { said } from '@/lib/language/serverText';
import { wordsOf } from '@/lib/problem';
import { useSearchState } from '@/lib/useAddress';
import { type FormValues, formSchema, initialValues, type ParameterValues } from './parameters';

/** What these parameters would run. A POST by its body only: it changes nothing, so it is a query here. */
export const previewQuery = (key: string, parameters: ParameterValues) =>
  queryOptions({
    queryKey: ['preview', key, parameters],
    queryFn: ({ signal }) =>
      unwrap(previewTemplate({ path: { key }, body: { parameters }, signal, throwOnError: true })),
    staleTime: 5 * 60_000,
  });

/** Whether these hosts have what the template needs: a query for the same reason. */
function useFit(key: string, body: FitRequest | null) {
  return useQuery({
    queryKey: ['fit', key, body],
    queryFn: ({ signal }) =>
      unwrap(fitTemplate({ path: { key }, body: body ?? {}, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    enabled: body !== null,
  });
}

export interface Start {
  template: TemplateDetail;
  /** Values of an experiment that this one is made after; they stand instead of a preset's. */
  given?: ParameterValues;
  givenName?: string;
}

/** The form of a template's parameters; the preset it was filled from is kept in the address. */
function useTemplateForm({ template, given, givenName }: Start) {
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

/** What the form would run, by the server; asked for when typing pauses, and for values that the form accepts. */
function usePreview(key: string, { form, schema }: ReturnType<typeof useTemplateForm>) {
  const watched = useWatch({ control: form.control, name: 'parameters' });
  const [parameters] = useDebouncedValue(watched, 300);
  const isAcceptable = schema.shape.parameters.safeParse(parameters).success;
  const query = { ...previewQuery(key, parameters), placeholderData: keepPreviousData };
  const preview = useQuery({ ...query, enabled: isAcceptable });
  const found = isAcceptable ? (preview.data?.problems ?? []) : [];
  return {
    parameters,
    preview,
    problems: new Map(found.map((item) => [item.field, wordsOf(item)])),
    /** Whether these very values are known to make an experiment. */
    isSound: isAcceptable && preview.data !== undefined && found.length === 0 && !preview.isPlaceholderData,
  };
}

/**
 * Save the form as an experiment and, with hosts, start its first run. Where only the second step fails, the saved
 * experiment's page is shown: from there the run can be started again without saving twice.
 */
function useCreateAndRun(templateKey: string, form: UseFormReturn<FormValues>) {
  const navigate = useNavigate();
  const create = useCreateExperiment();
  const start = useStartRun();
  /** Who may read the experiment; null is everybody. */
  const [teamId, setTeam] = useState<string | null>(null);

  async function save({ name, note, parameters }: FormValues, hosts: Where | null) {
    const made = { name, template_key: templateKey, parameters, team_id: teamId };
    const experiment = await create.mutateAsync(made);
    if (!hosts) return `/experiments/${experiment.id}`;
    const body = { ...hosts, note: note || null };
    const run = await start.mutateAsync({ experimentId: experiment.id, body }).catch(() => null);
    return run ? `/runs/${run.id}` : `/experiments/${experiment.id}`;
  }

  const submit = (hosts: Where | null) => (event: SyntheticEvent) =>
    form.handleSubmit(async (values) => {
      try {
        await navigate(await save(values, hosts));
      } catch (error) {
        const fields = Object.keys(values.parameters).map((field) => `parameters.${field}` as const);
        showProblems(error, ['name', 'note', ...fields], form.setError);
      }
    })(event);

  return { submit, teamId, setTeam, pending: create.isPending || start.isPending };
}

/** Whether it was so once. */
function useOnce(isSo: boolean): boolean {
  const [wasSo, setWasSo] = useState(isSo);
  if (isSo && !wasSo) setWasSo(true);
  return wasSo || isSo;
}

/** Everything that the form is made of: its values, what they would run, where, whether that fits, and its submit. */
export function useNewExperiment(start: Start) {
  const { template } = start;
  const fields = useTemplateForm(start);
  const { preview, parameters, problems, isSound } = usePreview(template.key, fields);
  const known = preview.data?.slots ?? [];
  const slots = slotsByName(known.length > 0 ? known : [TARGET]);
  const choice = useHostChoice(slots);
  // Until the preview has told which slots there are, a choice for the target alone is not all that a run needs.
  const hosts = known.length > 0 ? choice.complete : undefined;
  const fit = useFit(template.key, hosts && isSound ? { parameters, ...hosts } : null);
  const needs = fit.data?.needs ?? preview.data?.needs ?? template.needs;
  const { isLoading: hostsLoad } = useHosts();
  const isSettling = !useOnce(!preview.isLoading && !fit.isLoading && !hostsLoad);
  const sending = useCreateAndRun(template.key, fields.form);
  return {
    ...fields,
    ...sending,
    preview,
    problems,
    slots,
    choice,
    hosts,
    fits: fit.data?.fits,
    needs,
    isSettling,
  };
}

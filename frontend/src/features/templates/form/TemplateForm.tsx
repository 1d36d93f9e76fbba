import { zodResolver } from '@hookform/resolvers/zod';
import { SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { TemplateDetail } from '@/api/generated';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { Panel } from '@/components/ui/Panel';
import { slotsByName } from '@/domain/slots';
import { useSearchState } from '@/lib/useSearchState';
import { useFit } from '../api/useFit';
import { usePreview } from '../api/usePreview';
import { HostChoicePanel } from '../hosts/HostChoicePanel';
import { NeedsList } from '../hosts/NeedsList';
import { MechanismPanel } from './MechanismPanel';
import { ParameterField } from './ParameterField';
import { PresetChoice } from './PresetChoice';
import { type FormValues, formSchema, initialValues, type ParameterValues, sectionsOf } from './parameters';
import { RunBar } from './RunBar';
import classes from './TemplateForm.module.css';
import { TemplatePreview } from './TemplatePreview';
import { useCreateAndRun } from './useCreateAndRun';

interface Props {
  template: TemplateDetail;
  given?: ParameterValues;
  givenName?: string;
}

const TARGET_ONLY = ['target'];

/** Presets first, then where to run and whether that fits; every value below, and what it would all be beside. */
export function TemplateForm({ template, given, givenName }: Props) {
  const first = given ? '' : (template.presets[0]?.key ?? '');
  const [presetKey, setPreset] = useSearchState('preset', first);
  const schema = useMemo(() => formSchema(template.parameters), [template]);
  const preset = template.presets.find((candidate) => candidate.key === presetKey);
  const form = useForm<FormValues>({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: {
      name: givenName ?? template.title,
      note: '',
      parameters: initialValues(template.parameters, preset, given),
    },
  });
  const { errors } = form.formState;

  const watched = useWatch({ control: form.control, name: 'parameters' });
  const [parameters] = useDebouncedValue(watched, 300);
  const acceptable = schema.shape.parameters.safeParse(parameters).success;
  const preview = usePreview(template.key, parameters, acceptable);
  const found = acceptable ? (preview.data?.problems ?? []) : [];
  const problems = new Map(found.map((item) => [item.field, item.message]));

  const slots = slotsByName(preview.data?.slots?.length ? preview.data.slots : TARGET_ONLY);
  const choice = useHostChoice(slots);
  const isSound =
    acceptable && preview.data !== undefined && found.length === 0 && !preview.isPlaceholderData;
  const fit = useFit(template.key, choice.complete && isSound ? { parameters, ...choice.complete } : null);
  const { submit, pending } = useCreateAndRun(template.key, form);

  function applyPreset(key: string) {
    const chosen = template.presets.find((candidate) => candidate.key === key);
    setPreset(key);
    form.setValue('parameters', initialValues(template.parameters, chosen), {
      shouldValidate: true,
      shouldDirty: true,
    });
  }

  return (
    <form
      className={classes.split}
      onSubmit={submit(choice.complete)}
      noValidate
      aria-label={`New experiment: ${template.title}`}
    >
      <Stack gap="md">
        {template.presets.length > 0 && (
          <PresetChoice template={template} value={presetKey} onChange={applyPreset} />
        )}
        <Panel title="Where">
          <div className={classes.where}>
            <div>
              <HostChoicePanel slots={slots} choice={choice} />
            </div>
            <NeedsList needs={fit.data?.needs ?? preview.data?.needs ?? template.needs} />
          </div>
        </Panel>
        {sectionsOf(template.parameters).map(([section, fields]) => (
          <Panel key={section} title={section}>
            <SimpleGrid
              cols={{ base: 1, sm: 2 }}
              spacing="lg"
              verticalSpacing="md"
              className={classes.fields}
            >
              {fields.map((parameter) => (
                <ParameterField
                  key={parameter.name}
                  parameter={parameter}
                  control={form.control}
                  serverProblem={problems.get(`parameters.${parameter.name}`)}
                />
              ))}
            </SimpleGrid>
          </Panel>
        ))}
        <Panel title="Name">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
            <TextInput label="Name" error={errors.name?.message} {...form.register('name')} />
            <TextInput
              label="Note"
              placeholder="What is special about this run"
              error={errors.note?.message}
              {...form.register('note')}
            />
          </SimpleGrid>
        </Panel>
        <RunBar
          pending={pending}
          isBroken={problems.size > 0}
          hasHosts={choice.complete !== null}
          fits={fit.data?.fits}
          error={errors.root?.message}
          onSave={submit(null)}
        />
      </Stack>
      <div className={classes.aside}>
        <MechanismPanel template={template} />
        <TemplatePreview preview={preview} />
      </div>
    </form>
  );
}

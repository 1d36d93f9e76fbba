import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, Group, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { TemplateDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { HostSelect } from '@/components/HostSelect';
import { Panel } from '@/components/Panel';
import { Prose } from '@/components/Prose';
import { useDefaultHost } from '@/components/useDefaultHost';
import { useSearchState } from '@/lib/useSearchState';
import { usePreview } from './api/usePreview';
import classes from './experiments.module.css';
import { ParameterField } from './ParameterField';
import { type FormValues, formSchema, initialValues, type ParameterValues, sectionsOf } from './parameters';
import { TemplatePreview } from './TemplatePreview';
import { useCreateAndRun } from './useCreateAndRun';

interface Props {
  template: TemplateDetail;
  given?: ParameterValues;
  givenName?: string;
}

export function TemplateForm({ template, given, givenName }: Props) {
  const [presetKey, setPreset] = useSearchState('preset');
  const [host, setHost] = useDefaultHost();
  const mayCreate = useHasRole('experimenter');
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
  const problems = new Map(
    (acceptable ? (preview.data?.problems ?? []) : []).map((item) => [item.field, item.message]),
  );

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
      onSubmit={submit(host)}
      noValidate
      aria-label={`New experiment: ${template.title}`}
    >
      <Stack gap="md">
        {template.presets.length > 0 && (
          <div>
            <SegmentedControl
              aria-label="Preset"
              size="xs"
              data={template.presets.map(({ key, label }) => ({ value: key, label }))}
              value={presetKey}
              onChange={applyPreset}
            />
            <Text size="xs" c="var(--text-dim)" mt={4}>
              {preset?.help ?? 'A preset fills the form; every value can be changed after it.'}
            </Text>
          </div>
        )}
        <Panel title="Experiment">
          <TextInput label="Name" error={errors.name?.message} {...form.register('name')} />
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
        <Panel title="Run">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
            <HostSelect value={host} onChange={setHost} />
            <TextInput
              label="Note"
              placeholder="What is special about this run"
              error={errors.note?.message}
              {...form.register('note')}
            />
          </SimpleGrid>
        </Panel>
        {errors.root && (
          <Alert role="alert" color="red" variant="light">
            {errors.root.message}
          </Alert>
        )}
        <Group gap="sm" className={classes.submit}>
          <Button
            type="submit"
            size="sm"
            loading={pending}
            disabled={!mayCreate || !host || problems.size > 0}
          >
            Create and run
          </Button>
          <Button
            size="sm"
            variant="default"
            onClick={submit(null)}
            disabled={!mayCreate || pending || problems.size > 0}
          >
            Create only
          </Button>
          {!mayCreate && <Text size="xs">This needs the role experimenter.</Text>}
        </Group>
      </Stack>
      <div className={classes.aside}>
        <TemplatePreview preview={preview} />
        <details className={classes.mechanism}>
          <summary>How it works</summary>
          <p>
            <Prose text={template.mechanism} />
          </p>
          <p>
            Source: {template.source.title}, {template.source.published}
          </p>
        </details>
      </div>
    </form>
  );
}

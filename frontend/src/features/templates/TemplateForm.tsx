import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Preset, TemplateDetail } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { ReadersSelect } from '@/components/access/teams';
import { Dim } from '@/components/ui/Dim';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { formatDuration } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { ParameterField } from './ParameterField';
import { initialValues, sectionsOf } from './parameters';
import { MechanismPanel, TemplatePreview } from './TemplateAside';
import classes from './TemplateForm.module.css';
import { previewQuery, type Start, useNewExperiment } from './useNewExperiment';
import { WherePanel } from './WherePanel';

/** More than these are shown when asked for. */
const FEW = 5;
const FIRST = 3;

interface CardProps {
  preset: Preset;
  /** Seconds that it takes, where that is known. */
  total: number | undefined;
}

function PresetCard({ preset: { key, label, help }, total }: CardProps) {
  return (
    <Radio.Card value={key} className={classes.preset} aria-label={said(label)}>
      <span className={classes.presetHead}>
        <Radio.Indicator size="xs" />
        <b>
          <ServerText text={label} />
        </b>
        <span>{formatDuration(total)}</span>
      </span>
      <Text size="xs" c="var(--text-dim)" component="span">
        <ServerText text={help} />
      </Text>
    </Radio.Card>
  );
}

interface PresetChoiceProps {
  template: TemplateDetail;
  value: string;
  onChange: (key: string) => void;
}

/** Whole forms to start from, each with the time it takes. */
function PresetChoice({ template, value, onChange }: PresetChoiceProps) {
  const { presets, parameters } = template;
  const totals = useQueries({
    queries: presets.map((preset) => previewQuery(template.key, initialValues(parameters, preset))),
    combine: (results) => results.map(({ data }) => data?.plan?.total_s),
  });
  const [all, setAll] = useState(false);
  const shown = all || presets.length <= FEW ? presets.length : FIRST;
  const more = presets.length - shown;
  return (
    <div>
      <Radio.Group aria-label={t`Preset`} value={value} onChange={onChange} className={classes.presets}>
        {presets.map((preset, index) =>
          index >= shown && preset.key !== value ? null : (
            <PresetCard key={preset.key} preset={preset} total={totals[index]} />
          ),
        )}
      </Radio.Group>
      {more > 0 && (
        <Button variant="subtle" color="gray" size="compact-xs" mt={6} onClick={() => setAll(true)}>
          {t`${more} more presets`}
        </Button>
      )}
    </div>
  );
}

type Setup = ReturnType<typeof useNewExperiment>;

function NamePanel({ setup: { form, teamId, setTeam } }: { setup: Setup }) {
  const { errors } = form.formState;
  return (
    <Panel title={t`Name`}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <TextInput label={t`Name`} error={errors.name?.message} {...form.register('name')} />
        <TextInput
          label={t`Note`}
          placeholder={t`What is special about this run`}
          error={errors.note?.message}
          {...form.register('note')}
        />
        <ReadersSelect label={t`Who may read it`} chosen={teamId} onChoose={setTeam} />
      </SimpleGrid>
    </Panel>
  );
}

/** Why the run cannot be started, where it cannot. */
function reason({ problems, hosts, fits }: Setup, mayCreate: boolean): string | null {
  if (!mayCreate) return t`You need the experimenter role.`;
  if (problems.size > 0) return t`Fix the values marked above first.`;
  if (hosts === undefined) return t`The preview tells which hosts are needed; it is not there yet.`;
  if (hosts === null) return t`No host is available.`;
  if (fits === false) return t`The host lacks a required capability; see above.`;
  return null;
}

/** The one button, and why it cannot be pressed. */
function RunBar({ setup }: { setup: Setup }) {
  const mayCreate = useHasRole('experimenter');
  const { pending, problems, form, submit } = setup;
  const error = form.formState.errors.root?.message;
  const why = reason(setup, mayCreate);
  return (
    <div className={classes.submit}>
      {error && (
        <Alert role="alert" color="red" variant="light" mb="sm">
          {error}
        </Alert>
      )}
      <Group gap="sm">
        <Button
          type="submit"
          size="md"
          leftSection={<IconPlayerPlay size={16} />}
          loading={pending}
          disabled={why !== null}
        >
          {t`Run`}
        </Button>
        <Button
          size="md"
          variant="default"
          onClick={submit(null)}
          disabled={!mayCreate || pending || problems.size > 0}
        >
          {t`Create only`}
        </Button>
        {why && <Dim size="xs">{why}</Dim>}
      </Group>
    </div>
  );
}

/** Presets first, then where to run and whether that fits; every value below, and what it would all be beside. */
export function TemplateForm(start: Start) {
  const { template } = start;
  const setup = useNewExperiment(start);
  const { form, problems, hosts, presetKey, applyPreset } = setup;
  const title = said(template.title);
  return (
    <form
      className={classes.split}
      onSubmit={setup.submit(hosts ?? null)}
      noValidate
      aria-label={t`New experiment: ${title}`}
    >
      <Stack gap="md" className="in-order">
        {template.presets.length > 0 && (
          <PresetChoice template={template} value={presetKey} onChange={applyPreset} />
        )}
        <div aria-busy={setup.isSettling}>
          <WherePanel slots={setup.slots} choice={setup.choice} needs={setup.needs} />
        </div>
        {sectionsOf(template.parameters).map(([section, parameters]) => (
          <Panel key={section} title={<ServerText text={section} />}>
            <SimpleGrid
              cols={{ base: 1, sm: 2 }}
              spacing="lg"
              verticalSpacing="md"
              className={classes.fields}
            >
              {parameters.map((parameter) => (
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
        <NamePanel setup={setup} />
        <RunBar setup={setup} />
      </Stack>
      <div className={classes.aside}>
        <MechanismPanel template={template} />
        <TemplatePreview preview={setup.preview} />
      </div>
    </form>
  );
}

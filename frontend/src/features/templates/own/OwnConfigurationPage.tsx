import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useNavigate } from 'react-router';
import type { Conversion } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { HostSelect } from '@/components/hosts/HostSelect';
import type { Where } from '@/components/hosts/useHostChoice';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { slotsOfDefinition } from '@/domain/slots';
import { sayer, worded } from '@/domain/worded';
import { usePageTitle } from '@/lib/usePageTitle';
import form from '../TemplateForm.module.css';
import { useSaveAndRun } from '../useSaveAndRun';
import { Assumed } from './Assumed';
import { ConfigurationInput } from './ConfigurationInput';
import { ConversionResult, countsOf } from './ConversionResult';
import classes from './OwnConfigurationPage.module.css';
import { useConversion } from './useConversion';

function Inputs({ given, give }: Pick<ReturnType<typeof useConversion>, 'given' | 'give'>) {
  const inputs: Pick<ComponentProps<typeof ConfigurationInput>, 'label' | 'note'>[] = [
    { label: t`Your configuration`, note: t`It becomes the baseline.` },
    { label: t`Another one, to compare`, note: t`Without it, the first is measured by itself.` },
  ];
  return (
    <div className={classes.inputs}>
      {inputs.map((input, place) => (
        <ConfigurationInput
          key={input.label}
          {...input}
          files={given[place] ?? []}
          onFiles={(files) => give(place, files)}
        />
      ))}
    </div>
  );
}

const readyOf = ({ name, definition, words }: Conversion) => ({
  name: sayer(words)(name),
  definition: worded(definition, words),
});

/** What became of the lines stands with the run, too. */
const noteOf = ({ configurations }: Conversion): string =>
  configurations
    .map((one) => `${one.name}: ${countsOf(one)}`)
    .join('; ')
    .slice(0, 500);

/** One host plays every part. */
const everywhere = ({ definition }: Conversion, host: string): Where => ({
  hosts: Object.fromEntries(slotsOfDefinition(definition).map(({ slot }) => [slot, host])),
  addresses: {},
});

/** Why it cannot be run, where it cannot. */
function reason(mayCreate: boolean, isReady: boolean, host: string | null): string | null {
  if (!mayCreate) return t`You need the experimenter role.`;
  if (!isReady) return t`Drop, choose or paste a configuration first.`;
  return host === null ? t`No host is available.` : null;
}

function Actions({ isReady, host, current, convert, made, answers }: ReturnType<typeof useConversion>) {
  const navigate = useNavigate();
  const { run, error, isPending } = useSaveAndRun();
  const why = reason(useHasRole('experimenter'), isReady, host);
  async function start() {
    const found = await current();
    if (found && host !== null)
      await run({ ...readyOf(found), note: noteOf(found) }, everywhere(found, host));
  }
  /** It opens as a draft that nobody has saved. */
  async function edit() {
    const found = await current();
    if (found) await navigate('/experiments/new/blank', { state: readyOf(found) });
  }
  return (
    <div className={form.submit}>
      {error && <ProblemNotice error={error} />}
      {made && <Assumed made={made} answers={answers} />}
      <Group gap="sm">
        <Button
          size="md"
          leftSection={<IconPlayerPlay size={16} />}
          loading={isPending}
          disabled={why !== null || convert.isError}
          onClick={() => void start()}
        >
          {t`Run`}
        </Button>
        <Button
          size="md"
          variant="default"
          leftSection={<IconPencil size={16} />}
          disabled={!isReady || convert.isError}
          onClick={() => void edit()}
        >
          {t`Open in the designer`}
        </Button>
        {why && (
          <Text size="xs" c="var(--text-dim)">
            {why}
          </Text>
        )}
      </Group>
    </div>
  );
}

export default function OwnConfigurationPage() {
  usePageTitle(t`Your own configuration`);
  const conversion = useConversion();
  const { given, give, answers, answer, host, choose, made, convert } = conversion;
  return (
    <Stack gap="md">
      <PageHeader
        title={t`Your own configuration`}
        crumbs={[
          { label: t`Experiments`, to: '/experiments' },
          { label: t`New experiment`, to: '/experiments/new' },
        ]}
        meta={t`An nginx.conf, a folder, or the output of nginx -T becomes an experiment, line by line. Secrets are taken out before anything leaves your browser.`}
      />
      <Panel>
        <Stack gap="md">
          <Inputs given={given} give={give} />
          <div className={classes.host}>
            <HostSelect value={host} onChange={choose} />
          </div>
        </Stack>
      </Panel>
      {convert.isError && <ProblemNotice error={convert.error} />}
      {made && <ConversionResult made={made} answers={answers} onAnswers={answer} />}
      <Actions {...conversion} />
    </Stack>
  );
}

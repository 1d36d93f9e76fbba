import { t } from '@lingui/core/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { useNavigate } from 'react-router';
import { unwrap } from '@/api/client';
import { type Conversion, type ConversionRequest, convertConfigurations } from '@/api/generated';
import { HostSelect } from '@/components/hosts/HostSelect';
import { useDefaultHost } from '@/components/hosts/useHostChoice';
import { Dim } from '@/components/ui/Dim';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { configurationOf, type GivenFile } from '@/domain/configurations';
import { usePageTitle } from '@/lib/usePageTitle';
import { ConfigurationInput } from './ConfigurationInput';
import { type Answers, ConversionResult } from './ConversionResult';
import classes from './OwnConfigurationPage.module.css';

const NO_ANSWERS: Answers = { servers: [null, null], path: null, workers: null, arms: 'together' };

function requestOf(given: readonly GivenFile[][], host: string | null, answers: Answers): ConversionRequest {
  const configurations = given.flatMap((files, place) => {
    const made = configurationOf(files);
    return made ? [{ ...made, server: answers.servers[place] ?? null }] : [];
  });
  const { path, workers, arms } = answers;
  return { configurations, host_id: host, path, workers, arms };
}

/** The files, what was made of them, and the answers that it was made with. */
function useConversion() {
  const [given, setGiven] = useState<GivenFile[][]>([[], []]);
  const [answers, setAnswers] = useState(NO_ANSWERS);
  const [host, setHost] = useDefaultHost();
  const convert = useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ConversionRequest) => unwrap(convertConfigurations({ body, throwOnError: true })),
  });
  const ask = (asked: Answers) => {
    setAnswers(asked);
    convert.mutate(requestOf(given, host, asked));
  };
  const give = (place: number, files: GivenFile[]) => {
    setGiven(given.map((one, at) => (at === place ? files : one)));
    convert.reset();
  };
  return { given, give, answers, ask, host, setHost, convert };
}

/** To the designer, with what was made: it opens as a draft that nobody has saved. */
function useOpen() {
  const navigate = useNavigate();
  return ({ name, definition }: Conversion) => {
    void navigate('/experiments/new/blank', { state: { name, definition } });
  };
}

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

export default function OwnConfigurationPage() {
  usePageTitle(t`Your own configuration`);
  const { given, give, answers, ask, host, setHost, convert } = useConversion();
  const open = useOpen();
  const isReady = given[0] !== undefined && configurationOf(given[0]) !== null;
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
          <Group gap="sm" align="flex-end">
            <div className={classes.host}>
              <HostSelect value={host} onChange={setHost} />
            </div>
            <Button disabled={!isReady} loading={convert.isPending} onClick={() => ask(NO_ANSWERS)}>
              {t`Show what becomes of it`}
            </Button>
            {!isReady && <Dim>{t`Drop, choose or paste a configuration first.`}</Dim>}
          </Group>
        </Stack>
      </Panel>
      {convert.isError && <ProblemNotice error={convert.error} />}
      {convert.data && (
        <ConversionResult
          made={convert.data}
          answers={answers}
          isPending={convert.isPending}
          onAnswers={ask}
          onOpen={open}
        />
      )}
    </Stack>
  );
}

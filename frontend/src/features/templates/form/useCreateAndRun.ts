import type { SubmitEvent } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { useCreateExperiment } from '@/api/experiments';
import type { RunCreate } from '@/api/generated';
import { useStartRun } from '@/api/runs';
import { showProblems } from '@/lib/forms';
import type { FormValues } from './parameters';

type Hosts = Pick<RunCreate, 'hosts' | 'addresses' | 'nginx'>;

/**
 * Save the form as an experiment and, with hosts, start its first run. Where only the second step fails, the saved
 * experiment's page is shown: from there the run can be started again without saving twice.
 */
export function useCreateAndRun(templateKey: string, form: UseFormReturn<FormValues>) {
  const navigate = useNavigate();
  const create = useCreateExperiment();
  const start = useStartRun();

  async function save(values: FormValues, hosts: Hosts | null) {
    const { name, note, parameters } = values;
    const experiment = await create.mutateAsync({ name, template_key: templateKey, parameters });
    if (!hosts) return `/experiments/${experiment.id}`;
    const body = { ...hosts, note: note || null };
    const run = await start.mutateAsync({ experimentId: experiment.id, body }).catch(() => null);
    return run ? `/runs/${run.id}` : `/experiments/${experiment.id}`;
  }

  const submit = (hosts: Hosts | null) => (event: SubmitEvent | React.SyntheticEvent) =>
    form.handleSubmit(async (values) => {
      try {
        await navigate(await save(values, hosts));
      } catch (error) {
        const fields = Object.keys(values.parameters).map((field) => `parameters.${field}` as const);
        showProblems(error, ['name', 'note', ...fields], form.setError);
      }
    })(event);

  return { submit, pending: create.isPending || start.isPending };
}

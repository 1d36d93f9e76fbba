import { useNavigate } from 'react-router';
import { useCreateExperiment } from '@/api/experiments';
import type { Definition } from '@/api/generated';
import { useStartRun } from '@/api/runs';
import type { Where } from '@/components/hosts/useHostChoice';

interface Ready {
  name: string;
  definition: Definition;
  /** Of the run. */
  note?: string;
}

/** Save a definition as an experiment and start its first run; where only that fails, the experiment's page is shown. */
export function useSaveAndRun() {
  const navigate = useNavigate();
  const create = useCreateExperiment();
  const start = useStartRun();
  async function run({ name, definition, note }: Ready, where: Where) {
    const experiment = await create.mutateAsync({ name, definition: { ...definition } });
    const body = note === undefined ? where : { ...where, note };
    const started = await start.mutateAsync({ experimentId: experiment.id, body }).catch(() => null);
    await navigate(started ? `/runs/${started.id}` : `/experiments/${experiment.id}`);
  }
  return {
    run: (ready: Ready, where: Where) => run(ready, where).catch(() => undefined),
    error: create.error,
    isPending: create.isPending || start.isPending,
  };
}

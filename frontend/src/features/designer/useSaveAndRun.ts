import { useNavigate } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { openRunDialog } from '@/components/runs/openRunDialog';
import { focusField } from './fieldRegistry';
import type { AssignedProblem } from './model/problems';
import { type Base, useSave } from './useSave';

/** Saving, where nothing is known to be wrong; else the cursor goes to the first field that is. */
export function useSaveAndRun(
  base: Base | null,
  problems: readonly AssignedProblem[],
  onSaved: (experiment: ExperimentDetail) => void,
) {
  const navigate = useNavigate();
  const saving = useSave(base, onSaved);

  async function save(): Promise<ExperimentDetail | null> {
    const first = problems.find(({ source }) => source === null);
    if (!first) return saving.save();
    if (first.owner) focusField(first.owner);
    return null;
  }

  async function saveAndRun() {
    const saved = await save();
    if (!saved) return;
    openRunDialog({
      experimentId: saved.id,
      definition: saved.definition,
      onStarted: (run) => void navigate(`/runs/${run.id}`),
    });
  }

  return { saving, save: () => void save(), saveAndRun: () => void saveAndRun() };
}

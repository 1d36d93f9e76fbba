import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { slotsByName, TARGET } from '@/domain/slots';
import { said } from '@/lib/language/serverText';
import { useFit } from '../api/useFit';
import { WherePanel } from '../hosts/WherePanel';
import { MechanismPanel } from './MechanismPanel';
import { NamePanel } from './NamePanel';
import { ParameterPanels } from './ParameterPanels';
import { PresetChoice } from './PresetChoice';
import { RunBar } from './RunBar';
import classes from './TemplateForm.module.css';
import { TemplatePreview } from './TemplatePreview';
import { useCreateAndRun } from './useCreateAndRun';
import { type Start, useTemplateForm } from './useTemplateForm';
import { useTemplatePreview } from './useTemplatePreview';

/** Everything that the form is made of: its values, what they would run, where, and whether that fits. */
function useNewExperiment(start: Start) {
  const { template } = start;
  const { form, schema, ...presets } = useTemplateForm(start);
  const { preview, parameters, problems, isSound } = useTemplatePreview(template.key, form, schema);
  const known = preview.data?.slots ?? [];
  const slots = slotsByName(known.length > 0 ? known : [TARGET]);
  const choice = useHostChoice(slots);
  // Until the preview has told which slots there are, a choice for the target alone is not all that a run needs.
  const hosts = known.length > 0 ? choice.complete : undefined;
  const fit = useFit(template.key, hosts && isSound ? { parameters, ...hosts } : null);
  const needs = fit.data?.needs ?? preview.data?.needs ?? template.needs;
  return { form, ...presets, preview, problems, slots, choice, hosts, fits: fit.data?.fits, needs };
}

/** Presets first, then where to run and whether that fits; every value below, and what it would all be beside. */
export function TemplateForm(start: Start) {
  const { template } = start;
  const { form, preview, problems, choice, hosts, ...setup } = useNewExperiment(start);
  const { submit, pending } = useCreateAndRun(template.key, form);
  const title = said(template.title);
  return (
    <form
      className={classes.split}
      onSubmit={submit(hosts ?? null)}
      noValidate
      aria-label={t`New experiment: ${title}`}
    >
      <Stack gap="md">
        {template.presets.length > 0 && (
          <PresetChoice template={template} value={setup.presetKey} onChange={setup.applyPreset} />
        )}
        <WherePanel slots={setup.slots} choice={choice} needs={setup.needs} />
        <ParameterPanels parameters={template.parameters} control={form.control} problems={problems} />
        <NamePanel form={form} />
        <RunBar
          pending={pending}
          isBroken={problems.size > 0}
          hasHosts={hosts === undefined ? undefined : hosts !== null}
          fits={setup.fits}
          error={form.formState.errors.root?.message}
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

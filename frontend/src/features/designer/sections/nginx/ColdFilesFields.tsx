import { t } from '@lingui/core/macro';
import { SimpleGrid, Text } from '@mantine/core';
import { useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import classes from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { type DraftCold, withColdMethod } from '../../model/draft/serverDraft';
import { withChange } from '../../model/paths';

const PATH = 'nginx.cold_files';
const methods = () => [
  { value: 'evict', label: t`Evict from the page cache` },
  { value: 'throttle', label: t`Throttled device` },
];

const note = (method: DraftCold['method']) =>
  method === 'throttle'
    ? t`The files are on a loop device with limited read speed. This requires root on the host. ngxlab measures whether data came from the disk.`
    : t`The agent repeatedly evicts the files from the page cache. This works without root. ngxlab measures whether data came from the disk.`;

/** What the throttled device reads in a second. */
function DeviceLimits() {
  const common = { placeholder: t`no limit`, optional: true } as const;
  return (
    <>
      <NumberField path={`${PATH}.read_bytes_per_s`} label={t`Read at most`} unit="B/s" {...common} />
      <NumberField
        path={`${PATH}.read_ops_per_s`}
        label={t`Read operations at most`}
        unit={t`reads/s`}
        {...common}
      />
    </>
  );
}

/** How the files marked cold are kept out of the page cache. */
export function ColdFilesFields() {
  const method = useValue<DraftCold['method']>(`${PATH}.method`);
  return (
    <ProblemLine path={PATH} label={t`Cold files`}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
        <ChoiceField
          path={`${PATH}.method`}
          label={t({ message: 'Method', context: 'cold files' })}
          options={methods()}
          change={(draft, next) =>
            withChange<typeof draft, DraftCold>(draft, PATH, (cold) =>
              withColdMethod(cold, next as DraftCold['method']),
            )
          }
        />
        <NumberField path={`${PATH}.evict_every_ms`} label={t`Evict every`} unit="ms" />
        {method === 'throttle' && <DeviceLimits />}
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6} mb="xs">
        {note(method)}
      </Text>
    </ProblemLine>
  );
}

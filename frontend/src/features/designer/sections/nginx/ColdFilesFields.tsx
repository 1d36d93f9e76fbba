import { SimpleGrid, Text } from '@mantine/core';
import { useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import classes from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { type DraftCold, withColdMethod } from '../../model/draft/serverDraft';
import { withChange } from '../../model/paths';

const PATH = 'nginx.cold_files';
const METHODS = [
  { value: 'evict', label: 'Evict from the page cache' },
  { value: 'throttle', label: 'Throttled device' },
];

/** What the throttled device reads in a second. */
function DeviceLimits() {
  const common = { placeholder: 'no limit', optional: true } as const;
  return (
    <>
      <NumberField path={`${PATH}.read_bytes_per_s`} label="Reads at most" unit="B/s" {...common} />
      <NumberField path={`${PATH}.read_ops_per_s`} label="in at most" unit="reads/s" {...common} />
    </>
  );
}

/** How the files marked cold are kept out of the page cache. */
export function ColdFilesFields() {
  const method = useValue<DraftCold['method']>(`${PATH}.method`);
  return (
    <ProblemLine path={PATH} label="Cold files">
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
        <ChoiceField
          path={`${PATH}.method`}
          label="Kept cold by"
          options={METHODS}
          change={(draft, next) =>
            withChange<typeof draft, DraftCold>(draft, PATH, (cold) =>
              withColdMethod(cold, next as DraftCold['method']),
            )
          }
        />
        <NumberField path={`${PATH}.evict_every_ms`} label="Evicted every" unit="ms" />
        {method === 'throttle' && <DeviceLimits />}
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6} mb="xs">
        {method === 'throttle'
          ? 'The files lie on a loop device with limited reading. Only on hosts that allow it (root).'
          : 'The agent drops the files from the page cache again and again; works without root.'}{' '}
        Whether data came from the disk is measured.
      </Text>
    </ProblemLine>
  );
}

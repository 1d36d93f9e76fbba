import { t } from '@lingui/core/macro';
import { Button, Radio, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Preset, TemplateDetail } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { formatDuration } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import classes from './PresetChoice.module.css';
import { initialValues } from './parameters';
import { previewQuery } from './useNewExperiment';

interface Props {
  template: TemplateDetail;
  value: string;
  onChange: (key: string) => void;
}

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

/** Whole forms to start from, each with the time it takes. */
export function PresetChoice({ template, value, onChange }: Props) {
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

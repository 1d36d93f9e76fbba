import { Button, Radio, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { TemplateDetail } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import { useTotals } from '../api/usePreview';
import classes from './PresetChoice.module.css';
import { initialValues } from './parameters';

interface Props {
  template: TemplateDetail;
  value: string;
  onChange: (key: string) => void;
}

/** More than these are shown when asked for. */
const FEW = 5;
const FIRST = 3;

/** Whole forms to start from, each with the time it takes. */
export function PresetChoice({ template, value, onChange }: Props) {
  const { presets, parameters } = template;
  const forms = useMemo(
    () => presets.map((preset) => initialValues(parameters, preset)),
    [presets, parameters],
  );
  const totals = useTotals(template.key, forms);
  const [all, setAll] = useState(false);
  const shown = all || presets.length <= FEW ? presets.length : FIRST;
  return (
    <div>
      <Radio.Group aria-label="Preset" value={value} onChange={onChange} className={classes.presets}>
        {presets.map((preset, index) =>
          index >= shown && preset.key !== value ? null : (
            <Radio.Card
              key={preset.key}
              value={preset.key}
              className={classes.preset}
              aria-label={preset.label}
            >
              <span className={classes.presetHead}>
                <Radio.Indicator size="xs" />
                <b>{preset.label}</b>
                <span>{formatDuration(totals[index])}</span>
              </span>
              <Text size="xs" c="var(--text-dim)" component="span">
                {preset.help}
              </Text>
            </Radio.Card>
          ),
        )}
      </Radio.Group>
      {presets.length > shown && (
        <Button variant="subtle" color="gray" size="compact-xs" mt={6} onClick={() => setAll(true)}>
          {presets.length - shown} more presets
        </Button>
      )}
    </div>
  );
}

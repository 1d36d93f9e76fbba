import { SimpleGrid } from '@mantine/core';
import type { Control } from 'react-hook-form';
import type { Parameter } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { ParameterField } from './ParameterField';
import { type FormValues, sectionsOf } from './parameters';
import classes from './TemplateForm.module.css';

interface Props {
  parameters: readonly Parameter[];
  control: Control<FormValues>;
  /** What the server says, by `parameters.NAME`. */
  problems: ReadonlyMap<string, string>;
}

/** A panel for each section of the parameters. */
export function ParameterPanels({ parameters, control, problems }: Props) {
  return sectionsOf(parameters).map(([section, fields]) => (
    <Panel key={section} title={<ServerText text={section} />}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md" className={classes.fields}>
        {fields.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            control={control}
            serverProblem={problems.get(`parameters.${parameter.name}`)}
          />
        ))}
      </SimpleGrid>
    </Panel>
  ));
}

import { SimpleGrid } from '@mantine/core';
import { DEFAULT_ENGINE, type Engine, engineChoices } from '@/domain/engines';
import { useDraft } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { type DraftStream, withEngine } from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import type { Place } from '../../useItems';
import classes from '../items.module.css';
import { EngineFields } from './EngineFields';
import { RequestDetails } from './RequestDetails';

function EngineChoice({ path }: { path: string }) {
  return (
    <ChoiceField
      path={`${path}.engine`}
      label="Engine"
      options={engineChoices()}
      change={(draft, next) =>
        withChange<typeof draft, DraftStream>(draft, path, (stream) => withEngine(stream, next as Engine))
      }
    />
  );
}

/** One generator's part of the load. */
export function StreamEditor(place: Place) {
  const { index } = place;
  const path = `streams.${index}`;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const engine = useDraft((draft) => draft.streams[index]?.engine ?? DEFAULT_ENGINE);
  const isMany = useDraft((draft) => draft.streams[index]?.paths != null);
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">Stream {key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label="Stream" code />
          <TextField path={`${path}.slot`} label="Slot" code />
          <EngineChoice path={path} />
          <NumberField path={`${path}.connections`} label="Connections" templated />
        </SimpleGrid>
        <RowActions what={`stream ${key}`} path="streams" least={1} {...place} />
      </div>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <TextField path={`${path}.method`} label="Method" code maxLength={20} />
        {isMany ? (
          <TextField path={`${path}.paths.pattern`} label="Paths" code />
        ) : (
          <TextField path={`${path}.path`} label="Path" code />
        )}
        <NumberField path={`${path}.start_offset_s`} label="Starts after" unit="s" />
        <NumberField
          path={`${path}.duration_s`}
          label="Duration"
          unit="s"
          placeholder="to the end"
          optional
        />
      </SimpleGrid>
      <EngineFields path={path} engine={engine} />
      <RequestDetails index={index} />
      <ProblemLine path={path} label={`Stream ${key || index + 1}`} />
    </fieldset>
  );
}

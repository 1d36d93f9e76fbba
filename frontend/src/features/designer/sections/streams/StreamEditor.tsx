import { t } from '@lingui/core/macro';
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
      label={t`Engine`}
      options={engineChoices()}
      change={(draft, next) =>
        withChange<typeof draft, DraftStream>(draft, path, (stream) => withEngine(stream, next as Engine))
      }
    />
  );
}

/** What is asked for, and during which part of the trial. */
function RequestFields({ path, isMany }: { path: string; isMany: boolean }) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
      <TextField path={`${path}.method`} label={t`Method`} code maxLength={20} />
      {isMany ? (
        <TextField path={`${path}.paths.pattern`} label={t`Paths`} code />
      ) : (
        <TextField path={`${path}.path`} label={t`Path`} code />
      )}
      <NumberField path={`${path}.start_offset_s`} label={t`Starts after`} unit="s" />
      <NumberField
        path={`${path}.duration_s`}
        label={t`Duration`}
        unit="s"
        placeholder={t`to the end`}
        optional
      />
    </SimpleGrid>
  );
}

/** One generator's part of the load. */
export function StreamEditor(place: Place) {
  const { index } = place;
  const path = `streams.${index}`;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const name = key || index + 1;
  const engine = useDraft((draft) => draft.streams[index]?.engine ?? DEFAULT_ENGINE);
  const isMany = useDraft((draft) => draft.streams[index]?.paths != null);
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">{t`Stream ${key}`}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label={t`Stream`} code />
          <TextField path={`${path}.slot`} label={t`Slot`} code />
          <EngineChoice path={path} />
          <NumberField path={`${path}.connections`} label={t`Connections`} templated />
        </SimpleGrid>
        <RowActions what={t`stream ${key}`} path="streams" least={1} {...place} />
      </div>
      <RequestFields path={path} isMany={isMany} />
      <EngineFields path={path} engine={engine} />
      <RequestDetails index={index} />
      <ProblemLine path={path} label={t`Stream ${name}`} />
    </fieldset>
  );
}

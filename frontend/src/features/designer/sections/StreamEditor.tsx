import { SimpleGrid, Text } from '@mantine/core';
import classes from '../designer.module.css';
import { useDraft } from '../designerContext';
import { ConfigField } from '../fields/ConfigField';
import { More } from '../fields/More';
import { NumberField } from '../fields/NumberField';
import { PairsField } from '../fields/PairsField';
import { RowActions } from '../fields/RowActions';
import { SwitchField } from '../fields/SwitchField';
import { TextField } from '../fields/TextField';
import type { DraftStream } from '../model/draft';

interface Props {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}

const isPlain = ({ headers, body, body_bytes, script }: DraftStream) =>
  headers.length === 0 && body === null && body_bytes === null && script === null;

/** One generator's part of the load. */
export function StreamEditor({ index, count, onMove, onRemove }: Props) {
  const path = `streams.${index}`;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const plain = useDraft((draft) => !draft.streams[index] || isPlain(draft.streams[index]));
  return (
    <fieldset className={classes.factor} data-field={path}>
      <legend className="visually-hidden">Stream {key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
          <TextField path={`${path}.key`} label="Stream" code />
          <TextField path={`${path}.slot`} label="Plays on slot" code />
          <NumberField path={`${path}.threads`} label="Threads" templated />
          <NumberField path={`${path}.connections`} label="Connections" templated />
        </SimpleGrid>
        <RowActions what={`stream ${key}`} path="streams" least={1} {...{ index, count, onMove, onRemove }} />
      </div>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
        <TextField path={`${path}.method`} label="Method" code maxLength={20} />
        <TextField path={`${path}.path`} label="Path" code />
        <NumberField path={`${path}.start_offset_s`} label="Starts after" unit="s" />
        <NumberField path={`${path}.duration_s`} label="Lasts" unit="s" placeholder="to the end" optional />
      </SimpleGrid>
      <div className={classes.inline}>
        <SwitchField path={`${path}.keep_alive`} label="Keep connections alive" />
        <Text size="xs" c="var(--text-dim)">
          Engine wrk: closed loop, each connection waits for its response.
        </Text>
      </div>
      <More summary="Headers, body, script, timeout" open={!plain}>
        <div>
          <Text size="sm" fw={500} mb={4}>
            Headers
          </Text>
          <PairsField path={`${path}.headers`} noun="header" of={key || `stream ${index + 1}`} textOnly />
        </div>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className={classes.top}>
          <NumberField
            path={`${path}.body_bytes`}
            label="Body of this size"
            unit="B"
            placeholder="none"
            optional
          />
          <NumberField path={`${path}.timeout_s`} label="Response timeout" unit="s" />
        </SimpleGrid>
        <TextField path={`${path}.body`} label="Body" rows={2} code empty={null} placeholder="none" />
        <ConfigField
          path={`${path}.script`}
          label="Lua script"
          language="lua"
          empty={null}
          description="For wrk. Hosts run scripts only where their owner allows it."
        />
      </More>
    </fieldset>
  );
}

import { SimpleGrid, Stack } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { ConfigField } from '../../fields/ConfigField';
import fields from '../../fields/fields.module.css';
import { More } from '../../fields/More';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine, Section } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { TextField } from '../../fields/TextField';
import { FilesEditor } from './FilesEditor';
import classes from './NginxSection.module.css';
import { UpstreamsEditor } from './UpstreamsEditor';

function ProcessFields() {
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
      <NumberField path="nginx.workers" label="Workers" templated />
      <NumberField path="nginx.worker_connections" label="Connections a worker" templated />
      <NumberField path="nginx.ports" label="Ports" templated />
      <TextField
        path="nginx.listen_options"
        label="Listen options"
        code
        placeholder="reuseport backlog=511"
      />
    </SimpleGrid>
  );
}

/** The configuration's fragments, those that few experiments need folded away. */
function FragmentFields() {
  const opened = useDraft(({ nginx }) => Boolean(nginx.main || nginx.events));
  return (
    <>
      <ConfigField
        path="nginx.server"
        label="server"
        description="Within the server under test."
        minLines={5}
      />
      <ConfigField
        path="nginx.http"
        label="http"
        description={
          'Within http: upstreams, maps, keepalive, buffers. {{ servers("KEY") }} stands for the servers of a upstream.'
        }
        minLines={2}
      />
      <More summary="main and events" open={opened}>
        <ConfigField path="nginx.main" label="main" placeholder="thread_pool default threads=32;" />
        <ConfigField path="nginx.events" label="events" placeholder="multi_accept on;" />
      </More>
    </>
  );
}

function Switches() {
  return (
    <div className={classes.switches}>
      <SwitchField
        path="nginx.tls"
        label="TLS"
        description="With a certificate made for the run; streams then use https."
      />
      <SwitchField
        path="nginx.request_times"
        label="Request times by nginx's own clock"
        description="A buffered access log of each request's time and its upstream's, read by the agent."
      />
    </div>
  );
}

export function NginxSection() {
  return (
    <Section
      id="nginx"
      note="Fragments of nginx.conf. Process, paths, ports, certificate and status server are written by ngxlab; {{ name }} is a variable of the arm's levels."
    >
      <ProblemLine path="nginx" label="nginx">
        <Stack gap="md">
          <ProcessFields />
          <FragmentFields />
          <Switches />
          <UpstreamsEditor />
          <FilesEditor />
        </Stack>
      </ProblemLine>
    </Section>
  );
}

import { t } from '@lingui/core/macro';
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

const NAME = '{{ name }}';
const SERVERS = '{{ servers("KEY") }}';

function ProcessFields() {
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
      <NumberField path="nginx.workers" label={t`Workers`} templated />
      <NumberField path="nginx.worker_connections" label={t`Connections per worker`} templated />
      <NumberField path="nginx.ports" label={t`Ports`} templated />
      <TextField
        path="nginx.listen_options"
        label={t`Listen options`}
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
        description={t`Inside the server block under test.`}
        minLines={5}
      />
      <ConfigField
        path="nginx.http"
        label="http"
        description={t`Inside http: upstreams, maps, keepalive, buffers. ${SERVERS} stands for the instances of an upstream server.`}
        minLines={2}
      />
      <More summary={t`main and events`} open={opened}>
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
        description={t`Uses a certificate generated for the run; streams then use https.`}
      />
      <SwitchField
        path="nginx.request_times"
        label={t`Request times measured by nginx`}
        description={t`nginx logs the time of each request and of its upstream to a buffered access log, which the agent reads.`}
      />
    </div>
  );
}

export function NginxSection() {
  return (
    <Section
      id="nginx"
      note={t`Fragments of nginx.conf. ngxlab writes the process settings, paths, ports, certificate and status server; ${NAME} is a variable that the arm's levels set.`}
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

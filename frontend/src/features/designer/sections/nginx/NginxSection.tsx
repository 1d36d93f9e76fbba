import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { Field, Row } from '../../fields/Field';
import { More, ProblemLine, Section } from '../../fields/Section';
import { FilesEditor } from './FilesEditor';
import classes from './NginxSection.module.css';
import { UpstreamsEditor } from './UpstreamsEditor';

const NAME = '{{ name }}';
const SERVERS = '{{ servers("KEY") }}';

function ProcessFields() {
  return (
    <Row>
      <Field of="NginxTemplate.workers" at="nginx" />
      <Field of="NginxTemplate.worker_connections" at="nginx" />
      <Field of="NginxTemplate.ports" at="nginx" />
      <Field of="NginxTemplate.listen_options" at="nginx" />
    </Row>
  );
}

/** The configuration's fragments, those that few experiments need folded away. */
function FragmentFields() {
  const opened = useDraft(({ nginx }) => Boolean(nginx.main || nginx.events));
  return (
    <>
      <Field of="NginxTemplate.server" at="nginx" rows={5} />
      <Field
        of="NginxTemplate.http"
        at="nginx"
        rows={2}
        description={t`Inside http: upstreams, maps, keepalive, buffers. ${SERVERS} stands for the instances of an upstream server.`}
      />
      <More summary={t`main and events`} open={opened}>
        <Field of="NginxTemplate.main" at="nginx" />
        <Field of="NginxTemplate.events" at="nginx" />
      </More>
    </>
  );
}

function Switches() {
  return (
    <div className={classes.switches}>
      <Field of="NginxTemplate.tls" at="nginx" />
      <Field of="NginxTemplate.request_times" at="nginx" />
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

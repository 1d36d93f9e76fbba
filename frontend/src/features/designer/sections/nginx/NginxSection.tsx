import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { Field, Fields, Row } from '../../fields/Field';
import { More, ProblemLine, Section } from '../../fields/Section';
import { FilesEditor } from './FilesEditor';
import classes from './NginxSection.module.css';
import { UpstreamsEditor } from './UpstreamsEditor';

const NAME = '{{ name }}';
const SERVERS = '{{ servers("KEY") }}';

export function NginxSection() {
  const opened = useDraft(({ nginx }) => Boolean(nginx.main || nginx.events || nginx.allow_directives));
  return (
    <Section
      id="nginx"
      note={t`Fragments of nginx.conf. ngxlab writes the process settings, paths, ports, certificate and status server; ${NAME} is a variable that the arm's levels set.`}
    >
      <ProblemLine path="nginx" label="nginx">
        <Stack gap="md">
          <Row>
            <Fields
              of="NginxTemplate"
              at="nginx"
              only={['workers', 'worker_connections', 'ports', 'listen_options']}
            />
          </Row>
          <Field of="NginxTemplate.server" at="nginx" />
          <Field
            of="NginxTemplate.http"
            at="nginx"
            description={t`Inside http: upstreams, maps, keepalive, buffers. ${SERVERS} stands for the instances of an upstream server.`}
          />
          <More summary={t`main and events`} open={opened}>
            <Fields of="NginxTemplate" at="nginx" only={['main', 'events', 'allow_directives']} />
          </More>
          <div className={classes.switches}>
            <Fields of="NginxTemplate" at="nginx" only={['tls', 'tcp', 'request_times']} />
          </div>
          <Row>
            <Fields of="NginxTemplate" at="nginx" only={['certificate_key', 'certificate_chain']} />
          </Row>
          <UpstreamsEditor />
          <FilesEditor />
        </Stack>
      </ProblemLine>
    </Section>
  );
}

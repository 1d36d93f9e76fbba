import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { memo } from 'react';
import { ArmsSection } from './sections/arms/ArmsSection';
import { FactorsSection } from './sections/factors/FactorsSection';
import { NginxSection } from './sections/nginx/NginxSection';
import { PerturbationsSection } from './sections/perturbations/PerturbationsSection';
import { PlanSection } from './sections/plan/PlanSection';
import { QuestionSection } from './sections/QuestionSection';
import { StreamsSection } from './sections/streams/StreamsSection';
import { UpstreamServersSection } from './sections/upstreamServers/UpstreamServersSection';
import { VerdictSection } from './sections/verdict/VerdictSection';

/** The whole form. Each field listens to its own part of the draft, so this renders once. */
export const DesignerForm = memo(function DesignerForm() {
  return (
    <Stack gap="md" role="form" aria-label={t`Experiment`}>
      <QuestionSection />
      <FactorsSection />
      <ArmsSection />
      <NginxSection />
      <UpstreamServersSection />
      <StreamsSection />
      <PerturbationsSection />
      <VerdictSection />
      <PlanSection />
    </Stack>
  );
});

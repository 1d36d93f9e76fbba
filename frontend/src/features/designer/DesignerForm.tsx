import { Stack } from '@mantine/core';
import { memo } from 'react';
import { ArmsSection } from './sections/ArmsSection';
import { BackendsSection } from './sections/BackendsSection';
import { FactorsSection } from './sections/FactorsSection';
import { LimitsSection } from './sections/LimitsSection';
import { NginxSection } from './sections/NginxSection';
import { PerturbationsSection } from './sections/PerturbationsSection';
import { PlanSection } from './sections/PlanSection';
import { QuestionSection } from './sections/QuestionSection';
import { StreamsSection } from './sections/StreamsSection';

/** The whole form. Each field listens to its own part of the draft, so this renders once. */
export const DesignerForm = memo(function DesignerForm() {
  return (
    <Stack gap="md" role="form" aria-label="Experiment">
      <QuestionSection />
      <FactorsSection />
      <ArmsSection />
      <NginxSection />
      <BackendsSection />
      <StreamsSection />
      <PerturbationsSection />
      <PlanSection />
      <LimitsSection />
    </Stack>
  );
});

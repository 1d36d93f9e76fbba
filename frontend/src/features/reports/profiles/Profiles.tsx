import { t } from '@lingui/core/macro';
import { Button, Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { useNavigate } from 'react-router';
import type { Report } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText } from '@/components/ui/language/ServerText';
import { lazyPart } from '@/components/ui/lazyPart';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { Section } from '../contents/Section';
import { useMayProfile, usePhases, useProfiles, useStartProfile, useWhyUnprofiled } from './api';

const ProfileSection = lazyPart(() => import('./ProfileSection').then((part) => part.ProfileSection));

const PhaseSection = lazyPart(() => import('./PhaseSection').then((part) => part.PhaseSection));

/** Where arms were profiled, where their requests' time goes, and what they spend CPU time on. Renders nothing else. */
export function Profiles({ report }: { report: Report }) {
  const { data: profiles } = useProfiles(report.run.id);
  const { data: phases } = usePhases(report);
  return (
    <>
      {!!phases?.length && (
        <Suspense fallback={<Skeleton height={300} />}>
          <PhaseSection report={report} arms={phases} />
        </Suspense>
      )}
      {!!profiles?.length && (
        <Suspense fallback={<Skeleton height={420} />}>
          <ProfileSection report={report} profiles={profiles} />
        </Suspense>
      )}
    </>
  );
}

/** Where no arm was profiled, for who may have it done. */
export function NoProfiles({ report }: { report: Report }) {
  const { id } = report.run;
  const { data: profiles } = useProfiles(id);
  const mayProfile = useMayProfile(report);
  const navigate = useNavigate();
  const starting = useStartProfile(id);
  const isAsked = profiles?.length === 0 && mayProfile;
  const why = useWhyUnprofiled(id, isAsked);
  if (!isAsked || why.isPending) return null;
  const start = () =>
    starting.mutate({ path: { run_id: id }, body: {} }, { onSuccess: () => void navigate(`/runs/${id}`) });
  return (
    <Section id="profile" title={t`Where the CPU time goes`}>
      <EmptyState
        title={t`No arm was profiled`}
        action={
          <Button disabled={!!why.data} loading={starting.isPending} onClick={start}>
            {t`Profile its arms`}
          </Button>
        }
      >
        {why.data && (
          <strong>
            <ServerText text={why.data} />{' '}
          </strong>
        )}
        {t`Two more trials an arm, which no verdict counts, sample the functions that nginx spends its CPU time in. What stands here stays as it is.`}
      </EmptyState>
      {starting.error && <ProblemNotice error={starting.error} />}
    </Section>
  );
}

import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Report } from '@/api/generated';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { BuildsSection } from './ArmSections';

const SAME = /one and the same build/;

/** The report, with a build of this path and checksum for each arm, in their order. */
function withBuilds(...builds: [path: string, sha256: string][]): Report {
  const { analysis } = aReport();
  const arms = analysis.arms.map((arm, index) => {
    const [path, sha256] = builds[index % builds.length] as [string, string];
    return { ...arm, nginx_build: { path, sha256, version: 'nginx/1.22.1' } };
  });
  return aReport({ analysis: { ...analysis, arms } });
}

describe('The builds of a run', () => {
  it('are listed where arms ran different files', () => {
    show(<BuildsSection report={withBuilds(['/usr/sbin/nginx', 'aa'], ['/opt/nginx', 'bb'])} />);
    expect(screen.getAllByText('/opt/nginx')).not.toHaveLength(0);
    expect(screen.queryByText(SAME)).not.toBeInTheDocument();
  });

  it('are said to be one where their files are the same', () => {
    show(<BuildsSection report={withBuilds(['/usr/sbin/nginx', 'aa'], ['/opt/nginx', 'aa'])} />);
    expect(screen.getByText(SAME)).toBeInTheDocument();
  });

  it('are nothing to tell where all arms ran one file', () => {
    show(<BuildsSection report={withBuilds(['/usr/sbin/nginx', 'aa'])} />);
    expect(screen.queryByText('/usr/sbin/nginx')).not.toBeInTheDocument();
  });
});

import type { HostSummary } from '@/api/generated';

type HostNginx = HostSummary['nginx'][number];

/** An nginx of a host, as the hosts list tells of it. */
export function aNginx(version = '1.22.1', path = '/usr/sbin/nginx', product = 'nginx'): HostNginx {
  const name = `${product}-${version}`;
  return { name, path, version: `${product}/${version}`, names: [product, name, path] };
}

/** The colours that a framed chart is asked for by its address: those of the page around it. */
export function framedScheme({ pathname, search }: Pick<Location, 'pathname' | 'search'>) {
  if (!/^\/shared\/[^/]+\/charts\//.test(pathname)) return undefined;
  const asked = new URLSearchParams(search).get('scheme');
  return asked === 'light' || asked === 'dark' ? asked : undefined;
}

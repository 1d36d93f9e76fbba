import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '@/api/client';
import { type Conversion, type ConversionRequest, convertConfigurations } from '@/api/generated';
import { useDefaultHost } from '@/components/hosts/useHostChoice';
import { configurationOf, type GivenFile } from '@/domain/configurations';

/** What a configuration leaves open. `servers`: of the first configuration, and of the second. */
export interface Answers {
  servers: (number | null)[];
  path: string | null;
  workers: number | null;
  arms: 'together' | 'each';
}

const NO_ANSWERS: Answers = { servers: [null, null], path: null, workers: null, arms: 'together' };
/** Until then, somebody may be typing. */
const SOON_MS = 400;

function requestOf(given: readonly GivenFile[][], host: string | null, answers: Answers): ConversionRequest {
  const configurations = given.flatMap((files, place) => {
    const made = configurationOf(files);
    return made ? [{ ...made, server: answers.servers[place] ?? null }] : [];
  });
  const { path, workers, arms } = answers;
  return { configurations, host_id: host, path, workers, arms };
}

const isGiven = (files: readonly GivenFile[] | undefined): boolean =>
  files !== undefined && configurationOf(files) !== null;

/** The files, what is made of them as soon as they are there, and the answers that it is made with. */
export function useConversion() {
  const [given, setGiven] = useState<GivenFile[][]>([[], []]);
  const [answers, setAnswers] = useState(NO_ANSWERS);
  const [made, setMade] = useState<Conversion | null>(null);
  const [host, setHost] = useDefaultHost();
  const convert = useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ConversionRequest) => unwrap(convertConfigurations({ body, throwOnError: true })),
  });
  const isReady = isGiven(given[0]);
  const askSoon = useDebouncedCallback(() => {
    if (isReady) convert.mutate(requestOf(given, host, answers), { onSuccess: setMade });
  }, SOON_MS);

  function give(place: number, files: GivenFile[]) {
    setGiven(given.map((one, at) => (at === place ? files : one)));
    setAnswers({ ...NO_ANSWERS, arms: answers.arms });
    setMade(null);
    convert.reset();
    askSoon();
  }
  function answer(asked: Answers) {
    setAnswers(asked);
    convert.mutate(requestOf(given, host, asked), { onSuccess: setMade });
  }
  function choose(hostId: string | null) {
    setHost(hostId);
    askSoon();
  }
  /** What is made of what is given now: `null` where that cannot be read, which `convert.error` says. */
  const current = async (): Promise<Conversion | null> =>
    made ?? (await convert.mutateAsync(requestOf(given, host, answers)).catch(() => null));
  return { given, give, answers, answer, host, choose, isReady, made, current, convert };
}

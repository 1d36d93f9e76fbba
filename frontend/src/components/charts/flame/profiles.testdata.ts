import type { Profile } from './flame';
import json from './profiles.testdata.json';

/** Ten seconds of one worker of nginx that serves a text of 64 KiB, without gzip and at level 6, as perf told it. */
export const { off, six }: Record<'off' | 'six', Profile> = json;

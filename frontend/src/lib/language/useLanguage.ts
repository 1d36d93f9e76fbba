import { i18n } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { currentLanguage } from './language';

const subscribe = (onChange: () => void) => i18n.on('change', onChange);

/** The language of the page. What is below is made anew where it changes (`Providers`): texts need no hook. */
export const useLanguage = () => useSyncExternalStore(subscribe, currentLanguage);

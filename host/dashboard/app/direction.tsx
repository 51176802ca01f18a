import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import rtlPlugin from '@mui/stylis-plugin-rtl';
import type { ReactNode } from 'react';
import type { Direction } from './i18n.ts';

/** The page's own nonce: its content policy applies no style without it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';

/** The rules that are written for texts from left to right, and their mirror image. */
const CACHES = {
  ltr: createCache({ key: 'css', nonce }),
  rtl: createCache({ key: 'rtl', nonce, stylisPlugins: [rtlPlugin] }),
} as const;

/** Lays out what is in it in a direction; a theme has to name the same. */
export function Directed({ direction, children }: { readonly direction: Direction; readonly children: ReactNode }) {
  return <CacheProvider value={CACHES[direction]}>{children}</CacheProvider>;
}

import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import rtlPlugin from '@mui/stylis-plugin-rtl';
import type { ReactNode } from 'react';
import type { Direction } from './i18n.ts';

/** The page's nonce, without which its content security policy applies no style. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';

/** The style rules for left-to-right text, and their mirror image. */
const CACHES = {
  ltr: createCache({ key: 'css', nonce }),
  rtl: createCache({ key: 'rtl', nonce, stylisPlugins: [rtlPlugin] }),
} as const;

/** Lays out its children in a direction; the theme must have the same direction. */
export function Directed({ direction, children }: { readonly direction: Direction; readonly children: ReactNode }) {
  return <CacheProvider value={CACHES[direction]}>{children}</CacheProvider>;
}

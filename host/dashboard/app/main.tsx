import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createRoot } from 'react-dom/client';
import { DashboardApp } from './dashboard-app.tsx';

/** The page's own nonce: its content policy applies no style without it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';
const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no place for the application.');

createRoot(root).render(
  <CacheProvider value={createCache({ key: 'css', nonce })}>
    <DashboardApp base={new URL('manage/v1/', document.baseURI).href} />
  </CacheProvider>,
);

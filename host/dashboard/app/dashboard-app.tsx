import { QueryClient } from '@tanstack/react-query';
import { Admin, CustomRoutes, Resource, localStorageStore } from 'react-admin';
import { useState } from 'react';
import { Route } from 'react-router-dom';
import { Api } from './api/api.ts';
import { ApiError } from './api/api-error.ts';
import { createAuthProvider } from './api/auth-provider.ts';
import { createDataProvider } from './api/data-provider.ts';
import { Directed } from './direction.tsx';
import { createI18nProvider, preferredLocale } from './i18n.ts';
import type { Direction } from './i18n.ts';
import { recordName } from './components/record-name.ts';
import { DashboardLayout } from './layout.tsx';
import { LoginPage } from './login-page.tsx';
import { Overview } from './pages/overview/overview.tsx';
import { RECORD_COMPONENTS, ROUTE_COMPONENTS } from './pages/page-components.ts';
import { sectionsFor } from './pages/sections.ts';
import { NotFound } from './shell/not-found.tsx';
import { FrameSkeleton } from './shell/page-skeleton.tsx';
import { StepUpPrompt } from './step-up/step-up-prompt.ts';
import { THEMES } from './theme.ts';
import { TillContext } from './till.ts';

const MOST_RETRIES = 2;

/** Retries only when the server was not reached: a refusal would be repeated. */
const mayRetry = (failures: number, error: unknown): boolean =>
  failures < MOST_RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** The parts that live as long as the page. */
function createParts(base: string, onDirection: (direction: Direction) => void) {
  const stepUp = new StepUpPrompt();
  const api = new Api({
    base,
    fetch: (url, init) => fetch(url, init),
    stepUp: () => stepUp.ask(),
    goTo: (place) => {
      location.hash = place;
    },
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  });
  // Stores preferences, such as the language, but no records and no secrets.
  const store = localStorageStore('1', 'tillgate');
  if (store.getItem('locale') === undefined) store.setItem('locale', preferredLocale(navigator.languages));
  return {
    till: { api, stepUp },
    dataProvider: createDataProvider(api),
    authProvider: createAuthProvider(api),
    i18nProvider: createI18nProvider(onDirection),
    queryClient: new QueryClient({ defaultOptions: { queries: { retry: mayRetry } } }),
    store,
  };
}

/** @param base - the URL of the management API, with a slash at its end */
export function DashboardApp({ base }: { readonly base: string }) {
  const [direction, setDirection] = useState<Direction>('ltr');
  const [{ till, ...providers }] = useState(() => createParts(base, setDirection));
  return (
    <Directed direction={direction}>
      <TillContext value={till}>
        <Admin
          {...providers}
          title="Tillgate"
          loginPage={LoginPage}
          layout={DashboardLayout}
          dashboard={Overview}
          catchAll={NotFound}
          loading={FrameSkeleton}
          theme={THEMES[direction].light}
          darkTheme={THEMES[direction].dark}
          requireAuth
          disableTelemetry
        >
          {(role: unknown) => [
            ...sectionsFor(role).flatMap(({ records }) =>
              records === undefined
                ? []
                : [
                    <Resource
                      key={records}
                      name={records}
                      recordRepresentation={recordName}
                      {...RECORD_COMPONENTS[records]}
                    />,
                  ],
            ),
            <CustomRoutes key="routes">
              {sectionsFor(role).flatMap(({ routes = [] }) =>
                routes.map((path) => {
                  const Page = ROUTE_COMPONENTS[path];
                  return <Route key={path} path={path} element={<Page />} />;
                }),
              )}
            </CustomRoutes>,
          ]}
        </Admin>
      </TillContext>
    </Directed>
  );
}

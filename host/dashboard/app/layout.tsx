import Box from '@mui/material/Box';
import { Layout, Sidebar } from 'react-admin';
import type { SidebarProps } from 'react-admin';
import { Suspense } from 'react';
import type { ReactNode } from 'react';
import { EndedSession } from './components/ended-session.tsx';
import { useService } from './components/service.ts';
import { useNarrow } from './shell/account-menu.tsx';
import { DashboardBar } from './shell/app-bar.tsx';
import { DashboardMenu } from './shell/menu.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { StepUpDialog } from './step-up/step-up-dialog.tsx';
import { SPACE } from './theme.ts';

/** The frame of every page. */
export function DashboardLayout({ children }: { readonly children?: ReactNode }) {
  const sandbox = useService()?.sandbox === true;
  return (
    <Layout appBar={DashboardBar} menu={DashboardMenu} sidebar={DashboardSidebar} sx={sandbox ? BELOW_THE_STRIP : {}}>
      <Box sx={{ width: '100%', maxWidth: SPACE.page, mx: 'auto', minWidth: 0, pb: 4 }}>
        <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
      </Box>
      <StepUpDialog />
      <EndedSession />
    </Layout>
  );
}

/**
 * The menu at the side of a wide window, and over a narrow one. They are not one element: a phone that is turned upright would
 * close the menu of the wide window, whose end never comes, and nothing below it could be pressed.
 */
function DashboardSidebar(props: SidebarProps) {
  return <Sidebar key={useNarrow() ? 'over' : 'beside'} {...props} />;
}

/** The header is higher by the strip of the sandbox. */
const BELOW_THE_STRIP = {
  '& .RaLayout-appFrame': {
    marginTop: { xs: `calc(3.5rem + ${SPACE.strip})`, sm: `calc(3rem + ${SPACE.strip})` },
  },
  '& .RaSidebar-fixed': { height: `calc(100vh - 3rem - ${SPACE.strip})` },
} as const;

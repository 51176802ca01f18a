import { AppBar, Layout, Menu, TitlePortal, usePermissions, useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { EndedSession } from './components/ended-session.tsx';
import { sectionsFor } from './pages/sections.ts';
import { StepUpDialog } from './step-up/step-up-dialog.tsx';

/** The frame of every page. */
export function DashboardLayout({ children }: { readonly children?: ReactNode }) {
  return (
    <Layout appBar={DashboardBar} menu={DashboardMenu}>
      {children}
      <StepUpDialog />
      <EndedSession />
    </Layout>
  );
}

function DashboardBar() {
  return (
    // It contains the page's heading, which must stay visible.
    <AppBar color="default" position="fixed" alwaysOn>
      <TitlePortal component="h1" />
    </AppBar>
  );
}

function DashboardMenu() {
  const { permissions } = usePermissions<string>();
  const translate = useTranslate();
  return (
    <Menu>
      {sectionsFor(permissions).map(({ name, path, label, icon: Icon }) => (
        <Menu.Item key={name} to={path} primaryText={translate(label, { smart_count: 2 })} leftIcon={<Icon />} />
      ))}
    </Menu>
  );
}

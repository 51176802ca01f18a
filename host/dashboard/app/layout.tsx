import { AppBar, Layout, Menu, TitlePortal, usePermissions, useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { sectionsFor } from './pages/sections.ts';
import { StepUpDialog } from './step-up/step-up-dialog.tsx';

/** The frame of every page. */
export function DashboardLayout({ children }: { readonly children?: ReactNode }) {
  return (
    <Layout appBar={DashboardBar} menu={DashboardMenu}>
      {children}
      <StepUpDialog />
    </Layout>
  );
}

function DashboardBar() {
  return (
    // It has the heading of the page, which must not go away with scrolling.
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

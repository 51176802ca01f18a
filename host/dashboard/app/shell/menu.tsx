import ExpandLessIcon from '@mui/icons-material/ExpandLess';
import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import Divider from '@mui/material/Divider';
import MenuItem from '@mui/material/MenuItem';
import { Menu, usePermissions, useSidebarState, useStore, useTranslate } from 'react-admin';
import { useLocation } from 'react-router-dom';
import { groupsFor, HOME, isUnder } from '../pages/sections.ts';
import type { Group, Section } from '../pages/sections.ts';

/** The navigation: the home, then the groups, of which the one of the present page is always open. */
export function DashboardMenu() {
  const { permissions } = usePermissions<string>();
  return (
    <Menu>
      <Entry section={HOME} />
      {groupsFor(permissions).flatMap((group) => (
        <GroupEntries key={group.name} group={group} />
      ))}
    </Menu>
  );
}

function GroupEntries({ group: { name, label, sections, folded } }: { readonly group: Group }) {
  const translate = useTranslate();
  const { pathname } = useLocation();
  const [wide] = useSidebarState();
  const [open, setOpen] = useStore<boolean>(`menu.${name}`, !folded);
  const here = sections.some(({ path }) => isUnder(pathname, path));
  const shown = open || here;
  // Too narrow for a name, the menu shows icons with a line between the groups.
  const head = wide ? (
    <MenuItem
      key="head"
      dense
      tabIndex={0}
      aria-expanded={shown}
      onClick={() => setOpen(!open)}
      sx={{ mx: 1, mt: 1, borderRadius: 1, color: 'text.secondary', justifyContent: 'space-between', fontWeight: 600 }}
    >
      {translate(label)}
      {shown ? <ExpandLessIcon fontSize="small" /> : <ExpandMoreIcon fontSize="small" />}
    </MenuItem>
  ) : (
    <Divider key="head" component="li" sx={{ my: 0.5 }} />
  );
  return (
    <>
      {head}
      {shown ? sections.map((section) => <Entry key={section.name} section={section} />) : null}
    </>
  );
}

function Entry({ section: { path, label, icon: Icon } }: { readonly section: Section }) {
  const translate = useTranslate();
  return <Menu.Item to={path} primaryText={translate(label, { smart_count: 2 })} leftIcon={<Icon />} />;
}

import BrandingIcon from '@mui/icons-material/Storefront';
import ThemeIcon from '@mui/icons-material/Brightness4';
import HelpIcon from '@mui/icons-material/HelpOutlineOutlined';
import SecurityIcon from '@mui/icons-material/Security';
import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import MenuItem from '@mui/material/MenuItem';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { Theme } from '@mui/material/styles';
import { Logout, UserMenu, useTheme, useTranslate, useUserMenu } from 'react-admin';
import type { ComponentType } from 'react';
import { Link } from 'react-router-dom';

/** The documentation is served beside the dashboard. */
const HELP = new URL('docs', document.baseURI).href;

/** What belongs to the person: security, settings, help, and the way out. */
export function AccountMenu() {
  return (
    <UserMenu>
      <Entry to="/security" label="tillgate.menu.security" icon={SecurityIcon} />
      <Entry to="/branding" label="tillgate.menu.branding" icon={BrandingIcon} />
      <HelpEntry />
      {useNarrow() ? <ThemeEntry /> : null}
      <Divider component="li" />
      <Logout />
    </UserMenu>
  );
}

interface EntryProps {
  readonly to: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly fontSize: 'small' }>;
}

function Entry({ to, label, icon: Icon }: EntryProps) {
  const translate = useTranslate();
  const menu = useUserMenu();
  return (
    <MenuItem component={Link} to={to} onClick={() => menu?.onClose()}>
      <ListItemIcon>
        <Icon fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate(label)}</ListItemText>
    </MenuItem>
  );
}

/** Whether the header has no room for the theme. */
export const useNarrow = (): boolean => useMediaQuery((theme: Theme) => theme.breakpoints.down('sm'));

function ThemeEntry() {
  const translate = useTranslate();
  const menu = useUserMenu();
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)');
  const [theme, setTheme] = useTheme(prefersDark ? 'dark' : 'light');
  const toggle = (): void => {
    setTheme(theme === 'dark' ? 'light' : 'dark');
    menu?.onClose();
  };
  return (
    <MenuItem onClick={toggle}>
      <ListItemIcon>
        <ThemeIcon fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate('ra.action.toggle_theme')}</ListItemText>
    </MenuItem>
  );
}

function HelpEntry() {
  const translate = useTranslate();
  const menu = useUserMenu();
  return (
    <MenuItem component="a" href={HELP} target="_blank" rel="noreferrer" onClick={() => menu?.onClose()}>
      <ListItemIcon>
        <HelpIcon fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate('tillgate.shell.help')}</ListItemText>
    </MenuItem>
  );
}

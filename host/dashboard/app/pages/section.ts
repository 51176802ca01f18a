import type { ComponentType } from 'react';
import type { ResourceProps } from 'react-admin';
import type { Role } from '../api/auth-provider.ts';

/** A part of the dashboard: an entry of the menu with its pages. */
export interface Section {
  readonly name: string;
  /** The path of the entry. */
  readonly path: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly icon: ComponentType;
  /** The role that sees the section; every role by default. The server checks permissions itself. */
  readonly role?: Role;
  /** Records with a list, a page and a form. */
  readonly resource?: ResourceProps;
  /** Pages besides those of records. */
  readonly routes?: readonly { readonly path: string; readonly page: ComponentType }[];
}

import type { ComponentType } from 'react';
import type { ResourceProps } from 'react-admin';
import type { Role } from '../api/auth-provider.ts';

/** A part of the dashboard: an entry of the menu with its pages. */
export interface Section {
  readonly name: string;
  /** Where the entry leads. */
  readonly path: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly icon: ComponentType;
  /** Who sees it; everybody by default. What may be done is the server's to decide. */
  readonly role?: Role;
  /** Records that are listed, shown and made. */
  readonly resource?: ResourceProps;
  /** Pages that are no list. */
  readonly routes?: readonly { readonly path: string; readonly page: ComponentType }[];
}

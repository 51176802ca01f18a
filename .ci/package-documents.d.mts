import type { Package } from './packages.mjs';

/** Writes the documents of a package into its folder. @param address - of the repository's files in a browser; `null` for none */
export function writeDocuments(each: Package, folder: string, address?: string | null): void;

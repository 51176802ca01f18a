/** A bound value. Money and ids are strings, because no driver binds a bigint exactly. */
export type Binding = string | number | boolean | null | readonly (string | number | boolean | null)[];

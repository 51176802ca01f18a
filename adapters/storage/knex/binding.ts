/** What a driver takes as a bound value. Money and ids are strings: no driver binds a bigint faithfully. */
export type Binding = string | number | boolean | null | readonly (string | number | boolean | null)[];
